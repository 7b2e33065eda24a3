import ArgumentParser

/// The exit codes of sysexits(3) that the program uses beside 0 and 64 (how it was called).
extension ExitCode {
    /// 65: the data is bad.
    static let data = ExitCode(65)
    /// 66: an input file is missing or can't be read.
    static let noInput = ExitCode(66)
    /// 69: something that is needed is not to be had, such as a port.
    static let unavailable = ExitCode(69)
    /// 70: a fault of the program.
    static let software = ExitCode(70)
    /// 78: the configuration is bad.
    static let configuration = ExitCode(78)
}
