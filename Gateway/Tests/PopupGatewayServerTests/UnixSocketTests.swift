import Dispatch
import Foundation
import NIOCore
import Synchronization
import Testing

@testable import PopupGatewayServer

@Suite("Path of a Unix socket")
struct UnixSocketTests {
    @Test("A gateway that finds the path reserved closes its own file, and no other that gets the number after it")
    func closesOnce() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appending(path: "socket").path
        let reservation = try UnixSocketLock(path)
        let refused = Atomic(0)
        let lost = Atomic(0)
        let isOver = Atomic(false)
        DispatchQueue.concurrentPerform(iterations: 2) { part in
            if part == 0 {
                for _ in 0..<2000 {
                    do { _ = try UnixSocketLock(path) } catch let error as IOError where error.errnoCode == EADDRINUSE {
                        refused.add(1, ordering: .relaxed)
                    } catch {}
                }
                isOver.store(true, ordering: .relaxed)
            } else {
                // A file that somebody else has closed cannot be closed again.
                while !isOver.load(ordering: .relaxed) {
                    let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
                    if close(file) != 0 { lost.add(1, ordering: .relaxed) }
                }
            }
        }
        withExtendedLifetime(reservation) {}
        #expect(refused.load(ordering: .relaxed) == 2000)
        #expect(lost.load(ordering: .relaxed) == 0)
    }
}
