import PopupJournal
import PopupProtocol
import PopupScheduling
@testable import PopupState
import SwiftProtobuf
import Testing

@Suite("The replay of what a newer version has written")
struct StrictReplayTests {
    /// The field 1000, a number.
    private static let field: [UInt8] = [0xC0, 0x3E, 0x01]
    /// The field 900, an empty message: a command of another kind.
    private static let message: [UInt8] = [0xA2, 0x38, 0x00]

    private static let show = WireCommand.with {
        $0.show = .with {
            $0.id = "A"
            $0.group = "lobby"
            $0.text = "text"
        }
    }

    private static let suspend = WireCommand.with {
        $0.suspend = .with {
            $0.group = "lobby"
            $0.token = "token"
        }
    }

    private static let policy = WireCommand.with {
        $0.setPolicy = .with {
            $0.group = "lobby"
            $0.preset = .fifo
        }
    }

    private static let lease = WireCommand.with {
        $0.lease = .with {
            $0.client = "renderer"
            $0.groups = ["lobby"]
        }
    }

    private static let known: [WireCommand] = [
        show, suspend, policy, lease,
        .with {
            $0.show = show.show
            $0.show.id = "B"
            $0.show.exclusive = .all
            $0.show.presentation = .with { $0.scene = .fullScreen }
            $0.show.actions = [.with { $0.id = "ok" }]
        },
        .with { $0.update = .with { $0.id = "A" } },
        .with { $0.dismiss = .with { $0.id = "A" } },
        .with { $0.advance = .with { $0.group = "lobby" } },
        .with { $0.clear = .with { $0.selector = .with { $0.group = "lobby" } } },
        .with { $0.resume = .with { $0.token = "token" } },
        .with { $0.unsetPolicy = .with { $0.group = "lobby" } },
        .with { $0.setSession = .with { $0.group = "lobby" } },
    ]

    /// Returns a query, followed by what a newer version may ask for in it.
    private static func query(followedBy bytes: [UInt8] = []) throws -> WireCommand {
        let query = WireQuery.with { $0.nonce = "n" }
        let newer = try WireQuery(serializedBytes: query.serializedBytes() + bytes)
        return WireCommand.with { $0.query = newer }
    }

    /// Returns the commands that an older version must not skip.
    private static func newer() throws -> [[UInt8]] {
        let popup = try WirePopup(serializedBytes: show.show.serializedBytes() + field)
        let nested: [UInt8] = try WireCommand.with { $0.show = popup }.serializedBytes()
        var value = policy
        value.setPolicy.preset = .UNRECOGNIZED(99)
        return [
            try show.serializedBytes() + field, try suspend.serializedBytes() + field, nested, message,
            try value.serializedBytes(), try query().serializedBytes() + field,
        ]
    }

    /// Applies a batch with an entry to an empty state.
    private static func apply(isStrict: Bool, _ write: (inout CommandLog) -> Void) throws {
        var log = CommandLog()
        write(&log)
        var state = BrokerState(JournaledSettings(limits: Limits(), seed: 1))
        var output = EventBuffer()
        try state.apply(
            JournalBatch(sequence: 1, time: 0, commands: log.takeBytes()), into: &output, isStrict: isStrict)
    }

    @Test("refuses commands, fields and values that it does not know, if it is strict")
    func refused() throws {
        for command in try Self.newer() {
            try Self.apply(isStrict: false) { $0.append(.command, command.span.bytes) }
            #expect(throws: NewerContentError.self, "\(command)") {
                try Self.apply(isStrict: true) { $0.append(.command, command.span.bytes) }
            }
            #expect(throws: NewerContentError.self, "\(command), amended") {
                try Self.apply(isStrict: true) { _ = $0.append(amended: command.span.bytes, digest: 1) }
            }
        }
    }

    @Test("refuses a policy of a configuration with a field that it does not know, also in a snapshot")
    func refusedPolicy() throws {
        let setPolicy = try WireSetPolicy(serializedBytes: Self.policy.setPolicy.serializedBytes() + Self.field)
        let policy: [UInt8] = try WireCommand.with { $0.setPolicy = setPolicy }.serializedBytes()
        #expect(throws: NewerContentError.self) {
            try Self.apply(isStrict: true) { $0.append(.configuredPolicy, policy.span.bytes) }
        }

        var state = BrokerState(JournaledSettings(limits: Limits(), seed: 1))
        var output = EventBuffer()
        _ = state.apply(.configuredPolicy(setPolicy), at: 0, into: &output)
        let snapshot = try state.snapshot()
        let restored = try BrokerState.restored(from: snapshot)
        #expect(restored.configuredPolicies.count == 1)
        var problem: (any Error)?
        do { try restored.requireKnownPolicies() } catch { problem = error }
        #expect(problem is NewerContentError)
    }

    @Test("takes each command of its own version, and a query that asks for anything")
    func taken() throws {
        let queries = try [Self.query(), Self.query(followedBy: Self.field)]
        for command in try (Self.known + queries).map({ try $0.serializedBytes() as [UInt8] }) {
            try Self.apply(isStrict: true) { $0.append(.command, command.span.bytes) }
            try Self.apply(isStrict: true) { _ = $0.append(amended: command.span.bytes, digest: 1) }
        }
        let policy: [UInt8] = try Self.policy.serializedBytes()
        try Self.apply(isStrict: true) { $0.append(.configuredPolicy, policy.span.bytes) }
    }
}
