import Foundation

/// Bytes lent to calls that take `Data`.
enum Bytes {
    /// Calls `body` with `Data` that has these bytes without a copy. It must not be kept.
    static func lending<Result>(
        _ bytes: UnsafeRawBufferPointer, _ body: (Data) throws -> Result
    ) rethrows -> Result {
        guard let address = bytes.baseAddress, !bytes.isEmpty else { return try body(Data()) }
        return try body(
            Data(bytesNoCopy: UnsafeMutableRawPointer(mutating: address), count: bytes.count, deallocator: .none))
    }
}
