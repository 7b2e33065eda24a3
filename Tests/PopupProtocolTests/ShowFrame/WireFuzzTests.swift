import Foundation
import PopupProtocol
import SwiftProtobuf
import Testing

/// The quick ways of reading held against swift-protobuf and the validator, with frames of every kind of damage.
///
/// `POPUP_FRAMES=5000000 swift test --filter WireFuzz` tries as many for each seed.
@Suite struct WireFuzzTests {
    private static let frames = ProcessInfo.processInfo.environment["POPUP_FRAMES"].flatMap { Int($0) } ?? 5000

    @Test("whatever is read quickly, the full way accepts and reads the same", arguments: 1...4)
    func commands(seed: UInt64) {
        var fuzz = WireFuzz(seed: seed)
        var show = ShowFrame()
        var dismiss = DismissFrame()
        var (shows, dismissals) = (0, 0)
        for _ in 0..<Self.frames {
            let frame = fuzz.command()
            let isShow = show.read(frame.span, limits: WireLimits())
            let isDismiss = dismiss.read(frame.span)
            shows += isShow ? 1 : 0
            dismissals += isDismiss ? 1 : 0
            // What was read before must not show through.
            guard !isShow || show == ShowFrame.read(frame.span, limits: WireLimits()),
                !isDismiss || dismiss == DismissFrame.read(frame.span)
            else {
                Issue.record("seed \(seed): a frame read before shows through in \(frame)")
                return
            }
            let difference =
                switch (isShow, isDismiss) {
                case (true, true): "it is a show and a dismiss"
                case (true, false): Reading(show, in: frame).difference(from: Self.fullReading(of: frame))
                case (false, true): Reading(dismiss, in: frame).difference(from: Self.fullReading(of: frame))
                // Slower is never wrong.
                case (false, false): String?.none
                }
            if let difference {
                Issue.record("seed \(seed): \(difference) in \(frame)")
                return
            }
        }
        #expect(shows > Self.frames / 8)
        #expect(dismissals > Self.frames / 20)
    }

    /// What the full way makes of a frame; `nil` when it refuses it.
    private static func fullReading(of frame: [UInt8]) -> Reading? {
        guard let command = try? Ingress.command(binary: frame), (try? CommandValidator().validate(command)) != nil
        else {
            return nil
        }
        return Reading(command)
    }

    @Test("a batch is cut into the commands that the full decoder finds in it", arguments: 1...2)
    func batches(seed: UInt64) {
        var fuzz = WireFuzz(seed: seed << 32)
        var whole = 0
        for _ in 0..<Self.frames {
            let frame = fuzz.batch()
            guard frame.first == BatchFrame.firstByte, BatchFrame.isWhole(frame.span) else { continue }
            var batch = BatchFrame()
            var commands: [WireCommand?] = []
            while let range = try? batch.next(in: frame.span) {
                commands.append(try? WireCommand(serializedBytes: Array(frame[range])))
            }
            // The full decoder knows no batch of which one command is broken.
            let full = try? WireBatch(serializedBytes: frame)
            guard full?.commands == (commands.contains(nil) ? nil : commands.compactMap { $0 }) else {
                Issue.record("seed \(seed): \(commands) is not \(String(describing: full)) in \(frame)")
                return
            }
            whole += full == nil ? 0 : 1
        }
        #expect(whole > Self.frames / 5)
    }
}

/// What a command says, as far as the quick ways read it; texts as bytes, for strings that look alike are equal.
private struct Reading: Equatable {
    var producer: ProducerName?
    var sequence: UInt64
    var numbers: [String: Int64] = [:]
    var texts: [String: [UInt8]] = [:]
    var popup: WirePopup?

    /// The first thing in which it differs from what the full way makes of the frame.
    func difference(from full: Reading?) -> String? {
        guard let full else { return "the full way refuses what was read" }
        return self == full ? nil : "\(self) is not \(full)"
    }

    init(_ show: ShowFrame, in frame: [UInt8]) {
        producer = show.producer
        sequence = show.sequence
        texts = [
            "id": show.id, "group": show.group, "collapseKey": show.collapseKey, "surface": show.surface,
        ].mapValues { Array(frame[$0.indices]) }
        numbers = [
            "priority": Int64(show.priority), "duration": Int64(show.durationMs), "ttl": Int64(show.ttlMs),
            "delay": Int64(show.delayMs), "minDisplay": Int64(show.minDisplayMs),
            "exclusive": Int64(show.exclusive.rawValue), "interruptible": show.interruptible ? 1 : 0,
        ]
        popup = try? WirePopup(serializedBytes: Array(frame[show.popup.indices]))
    }

    init(_ dismiss: DismissFrame, in frame: [UInt8]) {
        producer = dismiss.producer
        sequence = dismiss.sequence
        texts = ["id": dismiss.id, "action": dismiss.action, "client": dismiss.client, "group": dismiss.group].mapValues
        { Array(frame[$0]) }
        numbers = dismiss.revision.map { ["revision": Int64(bitPattern: $0)] } ?? [:]
    }

    /// `nil` for what neither of the quick ways may read.
    init?(_ command: WireCommand) {
        producer = ProducerName(command.producer)
        sequence = command.sequence
        switch command.command {
        case .show(let popup):
            guard !popup.id.isEmpty, Self.isOrdinary(popup) else { return nil }
            texts = [
                "id": popup.id, "group": popup.group, "collapseKey": popup.collapseKey, "surface": popup.surface,
            ].mapValues { Array($0.utf8) }
            numbers = [
                "priority": Int64(popup.priority), "duration": Int64(popup.durationMs), "ttl": Int64(popup.ttlMs),
                "delay": Int64(popup.delayMs), "minDisplay": Int64(popup.minDisplayMs),
                "exclusive": Int64(popup.exclusive.rawValue),
                "interruptible": popup.hasInterruptible && !popup.interruptible ? 0 : 1,
            ]
            self.popup = popup
        case .dismiss(let dismiss):
            texts = ["id": dismiss.id, "action": dismiss.action, "client": dismiss.client, "group": dismiss.group]
                .mapValues { Array($0.utf8) }
            numbers = dismiss.hasRevision ? ["revision": Int64(bitPattern: dismiss.revision)] : [:]
        default: return nil
        }
    }

    /// It has nothing that only the full way knows, and nothing that only the broker sets.
    private static func isOrdinary(_ popup: WirePopup) -> Bool {
        !popup.hasFlow && !popup.hasPage && popup.session.isEmpty && popup.capKey.isEmpty && popup.offerMs == 0
            && popup.quorum == 0 && !popup.quorumAll && !popup.hasRemainingMs && popup.attempt == 0
            && popup.sinceRevision == 0
    }
}
