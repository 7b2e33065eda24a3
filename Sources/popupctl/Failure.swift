import ArgumentParser
import Foundation
import PopupClient
import TerminalText
import ZeroMQ

/// The reason why the program failed: one sentence with what to do, and the exit code.
struct Failure: Error {
    let message: String
    let code: ExitCode

    init(_ message: String, _ code: ExitCode) {
        self.message = message
        self.code = code
    }

    init(_ error: ClientError) {
        let code: ExitCode =
            switch error {
            case .socket, .invalidGroup, .noOutbox, .incompleteKeys: .validationFailure
            // Another endpoint than that of a broker, usually with ingress and egress exchanged: no broker is reached.
            case .handshakeFailed(_, .socketType): .temporary
            case .handshakeFailed: .noPermission
            case .keyFile(let failure):
                switch failure.cause {
                case .openToOthers: .noPermission
                case .unreadable: .noInput
                case .content, .exists, .unwritable: .refused
                }
            case .refused, .partiallyRejected, .tooLarge: .refused
            case .notConnected, .sendTimedOut, .acknowledgementTimedOut, .noReply, .queueFull, .slowConsumer, .closed,
                .closedBeforeAcknowledgement,
                .outboxInUse, .outboxFull, .outboxFailed:
                .temporary
            case .tooManyGroups, .tooManyLeasedGroups, .tooManyStreams: .software
            }
        if case .refused(let refusal) = error {
            self.init("refused \(refusal)", code)
        } else {
            self.init("\(error)", code)
        }
    }

    init(_ error: ShardDirectoryError) {
        self.init("\(error)", error.isUnreadable ? .noInput : .validationFailure)
    }

    /// Returns the same failure with the name of the shard.
    func at(_ shard: String) -> Failure { Failure("shard \(shard): \(message)", code) }

    func end() -> Never {
        StandardError.write("popupctl: \(message)")
        Foundation.exit(code.rawValue)
    }
}

extension Failure {
    /// Returns the failure for a refusal by the broker.
    static func refused(_ refused: PopupEvent.Refused) -> Failure {
        let detail = refused.detail.isEmpty ? "" : ": \(refused.detail)"
        return Failure("refused \(refused.reason.name)\(detail)", .refused)
    }

    static func acknowledgementTimedOut(for id: String, from endpoint: String, after time: Duration) -> Failure {
        Failure(
            "no acknowledgement from \(endpoint) in \(Words.time(time)): the broker may or may not have accepted `\(id)`;"
                + " `popupctl explain \(id)` shows which; with `--id \(id)` you can send it again, and it is shown once",
            .temporary)
    }

    static func noPopup(_ id: String) -> Failure {
        Failure("no popup has the id `\(id)`; `popupctl list` lists the live popups", .refused)
    }
}

/// The exit codes of sysexits(3) that the program uses in addition to 0 and 64 (wrong arguments).
extension ExitCode {
    /// 65: the broker refused the command, or a key file is none.
    static let refused = ExitCode(65)
    /// 66: a file is missing or cannot be read.
    static let noInput = ExitCode(66)
    /// 70: a bug of the program.
    static let software = ExitCode(70)
    /// 75: the same command may succeed later.
    static let temporary = ExitCode(75)
    /// 77: the broker does not accept the keys, or others can read a secret one.
    static let noPermission = ExitCode(77)
}

enum StandardError {
    /// Writes a line, in the characters of the locale.
    static func write(_ line: String) {
        FileHandle.standardError.write(Data((Terminal.current.characters.sentence(line) + "\n").utf8))
    }
}
