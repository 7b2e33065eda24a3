import Glibc

/// A TCP port of 127.0.0.1 for a broker that is to be started on it again and again. It is below those that the system
/// gives away, so that nobody is given it while no broker has it.
enum FreePort {
    static func endpoint() throws -> String {
        for _ in 0..<100 {
            let port = UInt16.random(in: 12_000..<32_000)
            if isFree(port) { return "tcp://127.0.0.1:\(port)" }
        }
        throw NotInTime(description: "no free port below those that the system gives away")
    }

    private static func isFree(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
