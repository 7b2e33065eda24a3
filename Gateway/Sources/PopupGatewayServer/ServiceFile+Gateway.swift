public import Supervision

extension ServiceFile {
    /// Returns the text of a file of the gateway.
    ///
    /// - Parameter again: Whether it was read before: then a pipe would be empty.
    /// - Throws: `GatewayConfiguration.Mistake`, which names the file.
    public func gatewayText(again: Bool = false) throws(GatewayConfiguration.Mistake) -> String {
        do throws(Mistake) {
            if again { try requireRereadable() }
            return try text()
        } catch {
            throw GatewayConfiguration.Mistake("the file `\(path)` \(error)")
        }
    }
}
