/// Runs of `popupctl` against one broker.
struct Control {
    let broker: BrokerProcess

    /// Starts it.
    func start(_ arguments: [String], input: String = "/dev/null") throws -> ChildProcess {
        try ChildProcess(
            Programs.control, arguments + ["--ingress", broker.ingress, "--egress", broker.egress], input: input)
    }

    /// Runs it to its end.
    func run(_ arguments: String..., input: String = "/dev/null") throws -> ChildProcess.Result {
        try start(arguments, input: input).result()
    }
}
