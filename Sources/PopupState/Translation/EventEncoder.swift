public import PopupProtocol
public import PopupScheduling
import SwiftProtobuf

/// The conversion of the scheduler's events to messages of the wire.
public enum EventEncoder {
    /// Returns the message for an event of a buffer.
    public static func event(_ event: Event, in buffer: EventBuffer) -> WireEvent {
        var message = WireEvent()
        message.group = buffer.string(event.group)
        message.popup = buffer.string(event.popup)
        message.revision = event.revision
        message.time = UInt64(clamping: event.at)
        message.path = buffer.pathValues[event.path].map(buffer.string)
        message.event =
            switch event.kind {
            case .queued: .queued(WireQueued())
            case .offered: .offered(WireOffered())
            case .shown(let attempt): .shown(.with { $0.attempt = attempt })
            case .paused: .paused(WirePaused())
            case .resumed: .resumed(WireResumed())
            case .updated: .updated(WireUpdated())
            case .closed(let reason, let action, let displayed):
                .closed(
                    .with {
                        $0.reason = WireClosed.Reason(reason)
                        $0.action = buffer.string(action)
                        $0.displayedMs = UInt32(clamping: displayed)
                    })
            case .refused(let refusal):
                .refused(
                    .with {
                        $0.reason = WireRefused.Reason(refusal.reason)
                        $0.detail = refusal.detail
                    })
            }
        return message
    }

    /// Returns the event for a command that was refused before it reached the scheduler.
    public static func event(_ refusal: CommandRefusal, at time: Milliseconds) -> WireEvent {
        .with {
            $0.group = refusal.group?.text ?? ""
            $0.popup = refusal.popup
            $0.time = UInt64(clamping: time)
            $0.by = refusal.user
            $0.refused = refused(refusal)
        }
    }

    package static func refused(_ refusal: CommandRefusal) -> WireRefused {
        .with {
            $0.reason = refusal.reason
            $0.detail = refusal.detail
        }
    }
}

extension WireClosed.Reason {
    package init(_ reason: CloseReason) {
        self =
            switch reason {
            case .dismissed: .dismissed
            case .advanced: .advanced
            case .timedOut: .timedOut
            case .expired: .expired
            case .preempted: .preempted
            case .rejected: .rejected
            case .superseded: .superseded
            case .replaced: .replaced
            case .cleared: .cleared
            case .evicted: .evicted
            case .vetoed: .vetoed
            case .unanswered: .unanswered
            case .unmet: .unmet
            case .undisplayed: .undisplayed
            case .rendererLost: .rendererLost
            case .pageClosed: .pageClosed
            case .sessionEnded: .sessionEnded
            }
    }
}

extension WireRefused.Reason {
    package init(_ reason: PopupScheduling.Refusal.Reason) {
        self =
            switch reason {
            case .malformed: .malformed
            case .invalid: .invalid
            case .tooLarge: .tooLarge
            case .unsupported: .unsupported
            case .permissionDenied: .permissionDenied
            case .overload: .overload
            case .conflict: .conflict
            case .stale: .stale
            case .notFound: .notFound
            }
    }
}

extension PopupScheduling.Refusal {
    /// The cause in a sentence for the clients of a broker, which names limits by their keys in its configuration.
    package var detail: String { description(naming: \.configurationKey) }
}

extension Limits.Name {
    /// The key of the limit in the configuration of a broker.
    package var configurationKey: String { self == .maxIDs ? "deduplication.maxIDs" : "limits.\(rawValue)" }
}
