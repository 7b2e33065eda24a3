import ArgumentParser

/// The group or pattern of a command, as an argument or, as in `show`, as an option.
struct PatternArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("A group or a pattern (store-12/*, *); all groups without one.", valueName: "group"),
        completion: BrokerCompletion.groups)
    var given: String?

    @OptionGroup var option: GroupOption

    /// The group or pattern; `nil` if there is none.
    var pattern: String? { given ?? option.group }

    /// The group or pattern, if one is given.
    var groups: [String] { pattern.map { [$0] } ?? [] }

    func validate() throws {
        try option.checkOnce(beside: given)
    }
}

/// The group of a command as an option, beside the argument.
struct GroupOption: ParsableArguments {
    @Option(
        name: .shortAndLong, help: "The group, in the form of `show`, instead of the argument.",
        completion: BrokerCompletion.groups)
    var group: String?

    /// Checks that the group is not given twice.
    ///
    /// - Throws: `ValidationError`, with what to leave out.
    func checkOnce(beside argument: String?) throws {
        if group != nil, argument != nil {
            throw ValidationError("Give the group once, as an argument or with --group.")
        }
    }
}
