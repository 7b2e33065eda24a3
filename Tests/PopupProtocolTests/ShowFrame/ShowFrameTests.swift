import Foundation
import PopupProtocol
import SwiftProtobuf
import Testing
import TestSupport

/// The quick way to read a `show` against the full one.
@Suite struct ShowFrameTests {
    @Test("a usual show is read as the full decoder reads it")
    func usual() throws {
        let frame = try [UInt8](serializedBytes(of: usualCommand()))
        let show = try #require(read(frame))
        #expect(disagreement(of: show, with: frame) == nil)
    }

    @Test("it is small enough to be copied for each popup")
    func layout() {
        #expect(MemoryLayout<ShowFrame>.size == 96)
    }

    @Test("a frame with room for its user is the one that is read with the user", arguments: ["a", "freight-office"])
    func user(name: String) throws {
        for isNumbered in [false, true] {
            var command = usualCommand()
            if !isNumbered { command.producer = "" }
            command.sequence = isNumbered ? 7 : 0
            let sent = try [UInt8](serializedBytes(of: command))
            let kept = sent + CommandUser.field(name)
            var show = try #require(read(sent))
            show.append(userOf: name.utf8.count)
            #expect(show == read(kept))
            #expect(String(decoding: kept[show.by.indices], as: UTF8.self) == name)

            command.dismiss = .with { ($0.id, $0.client) = ("A", "screen") }
            let sentDismissal = try [UInt8](serializedBytes(of: command))
            let keptDismissal = sentDismissal + CommandUser.field(name)
            var dismiss = DismissFrame()
            let isRead = dismiss.read(sentDismissal.span)
            #expect(isRead)
            dismiss.append(userOf: name.utf8.count)
            let again = DismissFrame.read(keptDismissal.span)
            #expect(dismiss == again)
        }
    }

    @Test("what is not a usual show is left to the full decoder", arguments: Unusual.allCases)
    func unusual(_ unusual: Unusual) throws {
        var command = usualCommand()
        unusual.change(&command)
        let frame = try [UInt8](serializedBytes(of: command))
        #expect(read(frame) == nil)
    }

    enum Unusual: CaseIterable {
        case noID, noGroup, badGroup, controlCharacter, sequenceWithoutProducer, otherCommand, flow, offer, outputOnly
        case page, session, quorum, quorumAll, capKey
        case tooLarge, unnamedAction

        func change(_ command: inout WireCommand) {
            switch self {
            case .noID: command.show.id = ""
            case .noGroup: command.show.group = ""
            case .badGroup: command.show.group = "a//b"
            case .controlCharacter: command.show.collapseKey = "a\u{1B}"
            case .sequenceWithoutProducer: command.producer = ""
            case .otherCommand: command.dismiss = .with { $0.id = "A" }
            case .flow: command.show.flow.key = "f"
            case .offer: command.show.offerMs = 1
            case .page:
                command.show.page = .with {
                    $0.tree = "t"; $0.value = "v"
                }
            case .session: command.show.session = "s"
            case .quorum: command.show.quorum = 1
            case .quorumAll: command.show.quorumAll = true
            case .capKey: command.show.capKey = "c"
            case .outputOnly: command.show.attempt = 7
            case .tooLarge: command.show.text = String(repeating: "x", count: WireLimits().contentBytes + 1)
            case .unnamedAction: command.show.actions[0].id = ""
            }
        }
    }

    /// Every mutation of real frames: whatever the quick way accepts, decoder and validator accept, with the same
    /// values. 60,000 frames, most of them broken.
    @Test("no mutated frame is read differently", arguments: 1...4)
    func mutated(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var accepted = 0
        for _ in 0..<15_000 {
            var frame = try [UInt8](serializedBytes(of: randomCommand(&random)))
            for _ in 0..<Int.random(in: 0...3, using: &random) { mutate(&frame, &random) }
            guard let show = read(frame) else { continue }
            accepted += 1
            if let difference = disagreement(of: show, with: frame) {
                Issue.record("seed \(seed): \(difference) in \(frame)")
                return
            }
        }
        #expect(accepted > 1_000)
    }

    /// What the two ways disagree in, or `nil`.
    private func disagreement(of show: ShowFrame, with frame: [UInt8]) -> String? {
        func text(_ range: FrameRange) -> String { String(decoding: frame[range.indices], as: UTF8.self) }
        do {
            let command = try Ingress.command(binary: frame)
            try CommandValidator().validate(command)
            let popup = command.show
            let received = try WirePopup(serializedBytes: Array(frame[show.popup.indices]))
            let differences: [(String, Bool)] = [
                ("producer", show.producer == ProducerName(command.producer)),
                ("sequence", show.sequence == command.sequence),
                ("popup", received == popup), ("id", text(show.id) == popup.id),
                ("group", text(show.group) == popup.group), ("key", text(show.collapseKey) == popup.collapseKey),
                ("surface", text(show.surface) == popup.surface), ("priority", show.priority == popup.priority),
                ("duration", show.durationMs == popup.durationMs), ("ttl", show.ttlMs == popup.ttlMs),
                ("delay", show.delayMs == popup.delayMs), ("minDisplay", show.minDisplayMs == popup.minDisplayMs),
                ("exclusive", show.exclusive == popup.exclusive),
                ("interruptible", show.interruptible == (popup.hasInterruptible ? popup.interruptible : true)),
                ("later fields", !popup.hasFlow && !popup.hasPage && popup.session.isEmpty && popup.offerMs == 0),
                ("quorum", popup.quorum == 0 && !popup.quorumAll && popup.capKey.isEmpty),
            ]
            return differences.first { !$0.1 }?.0
        } catch {
            return "\(error)"
        }
    }

    private func usualCommand() -> WireCommand {
        .with {
            $0.producer = String(repeating: "0af9", count: 8)
            $0.sequence = 77
            $0.show = .with {
                $0.id = "A"
                $0.group = "store-12/kiosk"
                $0.priority = -5
                $0.durationMs = 3000
                $0.text = "Grüße 你好"
                $0.contentType = "text/plain"
                $0.collapseKey = "k"
                $0.surface = "top"
                $0.interruptible = false
                $0.actions = [
                    .with {
                        $0.id = "ok"; $0.label = "OK"
                    }
                ]
                $0.presentation = .with {
                    $0.scene = .topBar; $0.title = "Hello"; $0.countdown = true
                }
            }
        }
    }

    private func randomCommand(_ random: inout SplitMix64) -> WireCommand {
        var command = usualCommand()
        if Bool.random(using: &random) { command.producer = ""; command.sequence = 0 }
        command.show.priority = [0, 1, -1, .max, .min].randomElement(using: &random)!
        command.show.durationMs = [0, 1, 127, 128, .max].randomElement(using: &random)!
        command.show.ttlMs = [0, 300].randomElement(using: &random)!
        command.show.delayMs = [0, 70_000].randomElement(using: &random)!
        command.show.minDisplayMs = [0, 5].randomElement(using: &random)!
        command.show.exclusive = [.none, .group, .all].randomElement(using: &random)!
        if Bool.random(using: &random) { command.show.data = Data([0, 255, 10]) }
        if Bool.random(using: &random) { command.show.clearPresentation() }
        if Bool.random(using: &random) { command.show.actions = [] }
        switch Int.random(in: 0..<20, using: &random) {
        case 0:
            command.show.flow = .with {
                $0.key = "f"; $0.requires.popup = "B"; $0.holdMs = 3
            }
        case 1:
            command.show.page = .with {
                $0.tree = "t"; $0.value = "v"; $0.scope = .within
            }
        case 2: command.show.session = "s"
        case 3: command.show.capKey = "c"; command.show.quorum = 2; command.show.offerMs = 1
        case 4: command.show.quorumAll = true
        default: break
        }
        return command
    }

    private func mutate(_ frame: inout [UInt8], _ random: inout SplitMix64) {
        let position = Int.random(in: 0..<frame.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: frame[position] = UInt8.random(in: 0...255, using: &random)
        case 1: frame[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2 where frame.count > 1: frame.remove(at: position)
        default: frame.insert(UInt8.random(in: 0...255, using: &random), at: position)
        }
    }

    private func read(_ frame: [UInt8]) -> ShowFrame? { ShowFrame.read(frame.span, limits: WireLimits()) }

    private func serializedBytes(of command: WireCommand) throws -> [UInt8] { try command.serializedBytes() }
}
