import PopupScheduling

/// The rules once more, in arrays and dictionaries, written from their description alone and with no eye on speed: the
/// scheduler is compared with it command by command.
///
/// `+Steps` runs commands and timers; `+Commands` and `+Show` say what each command does; `+Rules` and `+Eligibility`
/// who may be shown and who gives way to whom; `+Slot` and `+Closing` what happens when somebody takes the slot, leaves
/// it or closes; `+Flows`, `+Offers`, `+Renderers`, `+Leases`, `+Caps`, `+Quiet`, `+Pages` have a chapter each;
/// `+Queries` answers.
final class ReferenceScheduler: Subject {
    /// A live popup.
    struct Popup {
        /// Where it stands among those of its priority: paused places first, the latest first; then by rank.
        struct Place {
            var pausedAt: Int?
            var rank: Int
        }

        /// How it would have taken the slot, had the active popup's minimum display time been over.
        enum Mark {
            case newcomer
            case promotion
        }

        /// Whether the member that has to close first has, as it has to.
        enum Requirement {
            case none
            case met
            case unknown
        }

        let id: String
        let group: String
        let request: Instruction.Request
        /// Whose it is.
        var account = Account(user: "", producer: nil)
        var priority: Int32
        var duration: UInt32
        var interruptible: Bool
        var content: String

        /// The order of acceptance.
        let accepted: Int
        /// When it arrives or arrived.
        var arrival: Milliseconds
        /// From when on aging counts: its arrival, or that of the one whose place it took; so long before its last pause as
        /// it takes to rise by what it had risen by then.
        var age: Milliseconds?
        var place: Place
        var phase: Phase
        var mark: Mark?
        var requirement = Requirement.none
        /// How much aging had raised its priority when it came into the slot.
        var keptBonus: Int64?
        /// A renderer asked to be offered it not before.
        var retryAt: Milliseconds?

        /// While active: since when.
        var activeSince: Milliseconds = 0
        /// Active time before `activeSince`, in all.
        var displayed: Milliseconds = 0
        /// While its display time runs: since when.
        var clockSince: Milliseconds?
        /// Display time used up before `clockSince`.
        var used: Milliseconds = 0
        var attempt: UInt32 = 0
        var sinceRevision: UInt64 = 0
        /// While active: whether its minimum display time still runs, and whether `advance` waits for its end.
        var isProtected = false
        var advanceIsPending = false
        /// While active: the suspensions and quiet windows in force when an exclusive popup took the slot; they don't
        /// pause it.
        var exemptions: [Int] = []
        var exemptWindows: [QuietWindow] = []

        /// The clients that reported on it or dismissed it.
        var displayedBy: Set<String> = []
        var visibleTo: Set<String> = []
        var dismissedBy: Set<String> = []
        var lastAction = ""

        var flow: FlowID? { request.flow.map { FlowID(group: group, key: $0.key) } }
        var isInSlot: Bool { phase == .active || phase == .offered }
    }

    struct FlowID: Hashable {
        var group: String
        var key: String
    }

    /// What an account holds besides popups and ids.
    enum Holding: Hashable {
        case group(String)
        case token(String)
        case policy(String)
        case tree(String)
        case client(String)
    }

    struct Account: Hashable {
        /// Empty: nobody who is known, and where users don't count everybody.
        var user: String
        /// `nil`: all of the user's without an account of their own.
        var producer: ProducerID?
    }

    struct Owner {
        var account: Account
    }

    /// A popup that is over.
    struct Closed {
        var group: String
        var account: Account
        /// The order of closing.
        var number: Int
        var flow: FlowID?
        var reason: CloseReason
        var action: String
        var by: String
        var at: Milliseconds
        var displayed: Milliseconds
    }

    /// A flow keeps the slot of its group for members that have not arrived yet.
    struct Hold {
        var flow: FlowID
        var end: Milliseconds
        /// Whether the one that closed had been shown.
        var isFollowedByGap: Bool
    }

    struct Timer {
        enum Purpose: Equatable {
            case arrival(String)
            case expiry(String)
            case display(String)
            case minimumDisplay(String)
            case displayTimeout(String)
            case offer(String)
            case retry(String)
            case gap(String)
            case hold(String)
            case gather(FlowID)
            case cap(String, Int)
            case quiet(String)
            case lease(String)
        }
        var due: Milliseconds
        var number: Int
        var purpose: Purpose
    }

    struct StandingSuspension {
        var number: Int
        var token: String
        var pattern: String
        var minimumPriority: Int32?
    }

    struct CountedCap {
        var cap: Cap
        var showings: [Showing] = []
    }

    struct Showing {
        var at: Milliseconds
        /// `nil`: it belongs to nobody.
        var owner: Owner?
    }

    struct Tree {
        struct Page {
            var node: String
            var parent: String
            var value: String
        }
        var pages: [Page]
        var current: String
    }

    let limits: Limits
    var generator: ReferenceGenerator

    var popups: [String: Popup] = [:]
    var closed: [String: Closed] = [:]
    /// The groups that were ever given a popup or a session, with their revision.
    var revisions: [String: UInt64] = [:]
    /// The groups inside a gap, with its end.
    var gaps: [String: Milliseconds] = [:]
    /// The groups whose slot is kept by a flow.
    var holds: [String: Hold] = [:]
    /// Until when a member that closed keeps the slot for its flow.
    var heldUntil: [FlowID: Milliseconds] = [:]
    /// The flows that wait for their members, with the end of it.
    var gathers: [FlowID: Milliseconds] = [:]
    var policies: [String: Policy] = [:] { didSet { policiesInForce = [:] } }
    /// Looked up before, by group.
    var policiesInForce: [String: Policy] = [:]
    /// The quiet windows in force, by the pattern of their policy.
    var quietWindows: [String: [QuietWindow]] = [:]
    /// The latest last.
    var suspensions: [StandingSuspension] = []
    /// What the wall clock is ahead.
    var wallClockLead: Milliseconds = 0
    /// When something was told last, and the patterns whose quiet windows rest since.
    var lastInput: Milliseconds = 0
    var resting: Set<String> = []
    var sessions: [String: String] = [:]
    var trees: [String: Tree] = [:]
    /// The renderers that live, with their names and patterns.
    var leases: [String: [String]] = [:]
    /// What the caps of each group counted, in the order of its policy.
    var counts: [String: [CountedCap]] = [:]
    var timers: [Timer] = []

    /// Whose what is, besides popups and ids.
    var owners: [Holding: Owner] = [:]
    /// Who told the command at hand.
    var sender: ProducerID?
    var user = ""

    /// One count for everything that is ordered by when it happened.
    var lastNumber = 0

    // What the step at hand came to.
    var now: Milliseconds = 0
    var events: [Occurrence] = []
    /// Popups activated, offered or updated in it.
    var touched: [String] = []
    /// Popups that closed to make room for a newcomer: what follows from it comes after the newcomer.
    var gaveWay: [Popup] = []
    /// Groups whose slot it changed in ways that the popups' ids don't tell.
    var changedInPlace: [String] = []

    init(limits: Limits, seed: UInt64) {
        self.limits = limits
        generator = ReferenceGenerator(seed: seed)
    }

    func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    // MARK: - What never may be

    func complaints() -> [String] {
        var found: [String] = []
        for group in revisions.keys.sorted() {
            let occupants = popups.values.filter { $0.group == group && $0.isInSlot }
            if occupants.count > 1 { found.append("\(group) shows \(occupants.map(\.id))") }
            if let idle = candidate(for: group) {
                found.append("\(idle.id) is eligible and \(group) shows nothing")
            }
        }
        return found
    }
}
