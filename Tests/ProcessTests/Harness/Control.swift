/// Runs of `popupctl` against one broker.
struct Control {
    let broker: BrokerProcess

    /// The time that a run has for its work where a test does not name one: that of a busy machine.
    static let ampleTime = ["--timeout", "40s"]

    /// Starts it.
    func start(_ arguments: [String], input: String = "/dev/null") throws -> ChildProcess {
        let time = arguments.contains("--timeout") ? [] : Self.ampleTime
        return try ChildProcess(
            Programs.control, arguments + time + ["--ingress", broker.ingress, "--egress", broker.egress], input: input)
    }

    /// Runs it to its end.
    func run(_ arguments: String..., input: String = "/dev/null") throws -> ChildProcess.Result {
        try start(arguments, input: input).result()
    }
}
