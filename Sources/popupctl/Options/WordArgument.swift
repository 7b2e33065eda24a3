import ArgumentParser

/// A word of a fixed set, in the spelling of the options (`drop-oldest`) or in that of the protocol, which `policy show` prints
/// (`DROP_OLDEST`).
protocol WordArgument: ExpressibleByArgument, CaseIterable, RawRepresentable where RawValue == String {}

extension WordArgument {
    init?(argument: String) {
        self.init(rawValue: String(argument.lowercased().map { $0 == "_" ? "-" : $0 }))
    }
}
