/// Where a value was set.
public enum Origin: Sendable, Hashable {
    /// In the program.
    case standard
    /// In a file, on a line from 1 on; `nil` when it is the file as a whole.
    case file(String, line: Int?)
    /// In an environment variable.
    case environment(variable: String)
    /// On the command line.
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
