import Foundation
import Testing
import ZeroMQ

@Suite("An error of the sockets")
struct ErrorTests {
    let context = try! Context()

    @Test("says what was attempted, where, why not and what to do")
    func endpoints() throws {
        let holder = try Socket(context, .pair)
        try holder.bind("tcp://127.0.0.1:*")
        let taken = try holder.lastEndpoint

        #expect(
            failure { try $0.bind(taken) }! == (
                EADDRINUSE,
                "cannot bind \(taken): the address is in use; stop the process that uses it, or choose another port"
            ))
        #expect(
            failure { try $0.connect("somewhere") }! == (
                EINVAL,
                "cannot connect somewhere: the endpoint is not valid; "
                    + "write it like tcp://127.0.0.1:5570, with a port from 1 to 65535, or ipc:///run/popups.sock"
            ))
        for endpoint in ["tcp://127.0.0.1:99999", "tcp://127.0.0.1:65536", "tcp://[::1]:0"] {
            // libzmq would take another port.
            #expect(failure { try $0.connect(endpoint) }?.0 == EINVAL)
        }
        let highest = try Socket(context, .pair)
        try highest.connect("tcp://127.0.0.1:65535")
        #expect(
            failure { try $0.bind("udpp://127.0.0.1:1") }! == (
                EPROTONOSUPPORT,
                "cannot bind udpp://127.0.0.1:1: the transport is not supported; use tcp, ipc or inproc"
            ))
        #expect(
            failure { try $0.bind("tcp://no-such-interface:5570") }! == (
                ENODEV,
                "cannot bind tcp://no-such-interface:5570: no such network interface; "
                    + "use an address or interface of this machine, or * for all of them"
            ))
        #expect(
            failure { try $0.unbind("tcp://127.0.0.1:1") }! == (
                ENOENT, "cannot unbind tcp://127.0.0.1:1: the socket is not attached to it"
            ))
    }

    @Test("tells a value out of an option's range")
    func options() {
        #expect(
            failure { try $0.set(.receiveHighWaterMark(-1)) }! == (
                EINVAL, "cannot set an option receiveHighWaterMark(-1): the value is out of the option's range"
            ))
    }

    @Test("is all that a failed socket leaves")
    func failedInitialisation() {
        #expect(throws: ZeroMQError.self) {
            _ = try Socket(context, .sub, options: [.receiveHighWaterMark(1), .receiveHighWaterMark(-1)])
        }
    }

    @Test("ends a blocked call when the context shuts down")
    func shutdown() throws {
        let socket = try Socket(context, .pair)
        let context = context
        Thread.detachNewThread { context.shutdown() }

        let error = #expect(throws: ZeroMQError.self) { _ = try socket.receive(wait: true) }

        #expect(error?.operation == .receive)
        #expect(error?.description == "cannot receive: Context was terminated")
    }

    private func failure(_ attempt: (borrowing Socket) throws -> Void) -> (Int32, String)? {
        let error = #expect(throws: ZeroMQError.self) {
            let socket = try Socket(context, .pair)
            try attempt(socket)
        }
        return error.map { ($0.code, $0.description) }
    }
}
