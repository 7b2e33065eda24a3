import Foundation

/// A conversion of raw bytes for calls that take `Data`.
enum Bytes {
    /// Calls `body` with `Data` that refers to these bytes without a copy. `body` must not keep it.
    static func lending<Result>(
        _ bytes: UnsafeRawBufferPointer, _ body: (Data) throws -> Result
    ) rethrows -> Result {
        guard let address = bytes.baseAddress, !bytes.isEmpty else { return try body(Data()) }
        return try body(
            Data(bytesNoCopy: UnsafeMutableRawPointer(mutating: address), count: bytes.count, deallocator: .none))
    }
}
