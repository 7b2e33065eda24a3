import Foundation
import PopupClient

/// A recording: commands with their times, one line of JSON each, as `popup-broker simulate` reads them.
struct Recording {
    /// A command and the time at which it is sent.
    struct Entry: Equatable {
        /// The time since the beginning.
        var at: Duration
        var command: PopupCommand
    }

    /// A line that is not valid.
    struct Problem: Error, Equatable {
        /// The number of the line, from 1.
        var line: Int
        var message: String
    }

    /// The part of a line that is not the command.
    private struct Time: Decodable {
        /// The time since the beginning, in ms.
        var at: UInt32
    }

    /// The greatest number of commands of a recording.
    static let maxEntries = 1_000_000

    let entries: [Entry]

    init(_ text: String) throws(Problem) {
        var entries: [Entry] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard !line.allSatisfy(\.isWhitespace) else { continue }
            let entry = try Self.entry(line, number: index + 1)
            if let last = entries.last, entry.at < last.at {
                throw Problem(line: index + 1, message: "is earlier than the command before it; sort the lines by `at`")
            }
            guard entries.count < Self.maxEntries else {
                throw Problem(line: index + 1, message: "is one too many; split files of more than a million commands")
            }
            entries.append(entry)
        }
        self.entries = entries
    }

    private static func entry(_ line: Substring, number: Int) throws(Problem) -> Entry {
        guard let time = try? JSONDecoder().decode(Time.self, from: Data(line.utf8)).at else {
            throw Problem(
                line: number, message: "is not a JSON object with whole ms from 0 on as `at`: {\"at\":500,\"show\":{…}}"
            )
        }
        do throws(Refusal) {
            let command = try PopupCommand(json: line.utf8, besides: ["at", "lasts"])
            return Entry(at: .milliseconds(Int64(time)), command: command)
        } catch {
            throw Problem(line: number, message: "\(error)")
        }
    }
}

extension PopupCommand {
    /// Returns the command with an ending after each id, so that it is about other popups.
    func renamed(_ ending: String) -> PopupCommand {
        func rename(_ id: String) -> String { id.isEmpty ? id : id + ending }
        var command = self
        switch self.command {
        case .show(var popup):
            popup.id = rename(popup.id)
            if let member = popup.flow?.requires?.popup { popup.flow?.requires?.popup = rename(member) }
            command.show = popup
        case .update(let update): command.update?.id = rename(update.id)
        case .dismiss(let dismiss): command.dismiss?.id = rename(dismiss.id)
        case .report(let report): command.report?.id = rename(report.id)
        case .answer(let answer): command.answer?.id = rename(answer.id)
        default: break
        }
        return command
    }

    /// The command in a few words: `show A in lobby`.
    var summary: String {
        switch command {
        case .show(let popup): "show \(popup.id) in \(popup.group), priority \(popup.priority)"
        case .update(let update): "update \(update.id)"
        case .dismiss(let dismiss): "dismiss \(dismiss.id) \(dismiss.action)"
        case .advance(let advance): "advance \(advance.group)"
        case .clear(let clear): "clear \(clear.selector.group)"
        case .suspend(let suspend): "suspend \(suspend.group)"
        case .resume(let resume): "resume \(resume.token)"
        case .setPolicy(let policy): "policy of \(policy.group)"
        case .unsetPolicy(let policy): "no policy of \(policy.group)"
        case nil: "nothing"
        default: "command"
        }
    }
}
