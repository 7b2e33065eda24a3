/// Runs of `popupctl` against one broker.
struct Control {
    let broker: BrokerProcess

    /// Returns the arguments with the time that a run has for its work, where they do not name one: that of a busy machine.
    static func withAmpleTime(_ arguments: [String]) -> [String] {
        arguments.contains("--timeout") ? arguments : arguments + ["--timeout", "40s"]
    }

    /// Starts it.
    func start(_ arguments: [String], input: String = "/dev/null") throws -> ChildProcess {
        try ChildProcess(
            Programs.control, Self.withAmpleTime(arguments) + ["--ingress", broker.ingress, "--egress", broker.egress],
            input: input)
    }

    /// Runs it to its end.
    func run(_ arguments: String..., input: String = "/dev/null") throws -> ChildProcess.Result {
        try start(arguments, input: input).result()
    }
}
