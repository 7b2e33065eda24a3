import PopupProtocol

extension PopupCommand {
    /// Creates a command.
    public init(_ command: Kind) {
        self.init()
        self.command = command
    }

    /// Creates the command of a line of JSON, as in a frame: `{"show":{"id":"a","group":"lobby","text":"Hi"}}`.
    ///
    /// - Parameters:
    ///   - json: The JSON object in UTF-8.
    ///   - others: Names of further fields, which the program reads itself, such as a time.
    /// - Throws: `Refusal` for a text that is not valid JSON, a field that the schema does not have, and a command that the
    ///   broker would refuse as it is.
    public init(json: some Sequence<UInt8>, besides others: [String] = []) throws(Refusal) {
        let json = Array(json)
        if let unknown = Ingress.unknownField(in: json, besides: others) {
            throw Refusal(.malformed, "\(unknown)")
        }
        do throws(CommandRefusal) {
            self.init(wire: try Ingress.command(json: json))
        } catch {
            throw Refusal(error)
        }
    }

    /// The command as a JSON object in UTF-8, in one line.
    public var json: [UInt8] { wire.jsonBytes }
}
