public import CZeroMQ

/// A received frame. A message that is reused costs no allocation per frame.
public struct Message: ~Copyable {
    // At an address of its own: libzmq keeps short frames inside the struct, so a borrowed pointer must not move.
    @usableFromInline
    let handle: UnsafeMutablePointer<zmq_msg_t>

    /// Creates an empty message, to receive into.
    @inlinable
    public init() {
        handle = .allocate(capacity: 1)
        handle.initialize(to: zmq_msg_t())
        zmq_msg_init(handle)
    }

    @inlinable
    deinit {
        zmq_msg_close(handle)
        handle.deallocate()
    }

    /// The number of bytes.
    @inlinable
    public var count: Int { zmq_msg_size(handle) }

    /// Whether another frame of the same message follows.
    @inlinable
    public var more: Bool { zmq_msg_more(handle) != 0 }

    /// Lends the bytes, without a copy.
    @inlinable
    public func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafeBytes.bytes)
    }

    /// The bytes where they are: valid until the message is received into again or destroyed.
    @inlinable
    public var unsafeBytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: zmq_msg_data(handle), count: zmq_msg_size(handle))
    }

    /// The file descriptor of the connection over which it came; `nil` when libzmq does not know it: it made the message
    /// itself, or the peer speaks a version of ZMTP before 3.0.
    public var connectionDescriptor: Int32? {
        let descriptor = zmq_msg_get(handle, ZMQ_SRCFD)
        return descriptor < 0 ? nil : descriptor
    }

    /// The name of the user who sent it, as an `Authenticator` told it; `nil` for a sender that was not authenticated, and
    /// for messages that libzmq made itself.
    public var user: String? {
        withUser { name in
            guard let name, name.pointee != 0 else { return nil }
            return String(cString: name)
        }
    }

    /// Lends the name of the user as C has it, without a copy. As `user`, but a name may be empty.
    @inlinable
    public func withUser<Result>(_ body: (UnsafePointer<CChar>?) -> Result) -> Result {
        body(zmq_msg_gets(handle, "User-Id"))
    }

    /// Returns a copy of the bytes.
    public func copy() -> [UInt8] {
        [UInt8](unsafeBytes)
    }
}
