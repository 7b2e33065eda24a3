/// The origin of a value.
public enum Origin: Sendable, Hashable {
    /// The default of the program.
    case standard
    /// A line of a file, from 1 on; `nil`: the file as a whole.
    case file(String, line: Int?)
    /// An environment variable.
    case environment(variable: String)
    /// An option of the command line.
    case flag(String)
}

extension Origin: CustomStringConvertible {
    /// `popup-broker.yaml:12`, or the variable or flag as it is written.
    public var description: String {
        switch self {
        case .standard: "default"
        case .file(let name, let line?): "\(name):\(line)"
        case .file(let name, nil): name
        case .environment(let variable): "environment variable \(variable)"
        case .flag(let flag): flag
        }
    }
}
