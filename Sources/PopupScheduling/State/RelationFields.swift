/// What only some popups have, so that the others don't carry it: a flow, a page, a session, a cap key, an offer, a
/// quorum, renderers that reported on it.
struct RelationFields: BitwiseCopyable {
    typealias Index = TableIndex<RelationFields>

    /// What is known of what a flow's member requires of another.
    enum Requirement: UInt8, BitwiseCopyable {
        /// Nothing is required.
        case none
        case unknown
        case met
        case failed
    }

    /// The popup that has them.
    let popup: PopupRecord.Index

    // Its flow, and its neighbours among the flow's live members in order of acceptance.
    @Packed var flow: FlowRecord.Index?
    fileprivate var members = Neighbours<RelationFields>()
    var stage: UInt32 = 0
    var hold: UInt32 = 0
    var requirement = Requirement.none
    var required = ByteReference.empty
    var requiredAction = ByteReference.empty

    // Its page, and its neighbours among the popups bound to the tree.
    @Packed var tree: PageTree.Index?
    fileprivate var bound = Neighbours<RelationFields>()
    var page = ByteReference.empty
    var scope = PageBinding.Scope.current
    /// Whether its page is where it has to be, as far as the popup knows; true where it is bound to none.
    var isOnPage = true

    var session = ByteReference.empty
    var capKey = ByteReference.empty

    var offer: UInt32 = 0
    /// Not eligible while it is set.
    @Packed var retry: TimerQueue.Index?

    var quorum: UInt32 = 0
    var quorumAll = false
    /// The notes of renderers that reported on it, the latest first.
    var notes = List<NotesOfPopup>()
    var noteCount: Int32 = 0
    var displays: Int32 = 0
    var views: Int32 = 0
    var dismissals: Int32 = 0
    /// The action of the latest dismissal that did not close it.
    var lastAction = ByteReference.empty

    init(of popup: PopupRecord.Index) {
        self.popup = popup
    }

    /// All that it has in the store.
    var texts: [ByteReference] { [required, requiredAction, page, session, capKey, lastAction] }
}

/// The live members of a flow in order of acceptance.
enum FlowMembers: ListLinks {
    static func neighbours(of member: UnsafePointer<RelationFields>) -> Neighbours<RelationFields> {
        member.pointee.members
    }

    static func setNeighbours(
        of member: UnsafeMutablePointer<RelationFields>, to neighbours: Neighbours<RelationFields>
    ) {
        member.pointee.members = neighbours
    }
}

/// The live popups bound to a tree of pages in order of acceptance.
enum BoundPopups: ListLinks {
    static func neighbours(of member: UnsafePointer<RelationFields>) -> Neighbours<RelationFields> {
        member.pointee.bound
    }

    static func setNeighbours(
        of member: UnsafeMutablePointer<RelationFields>, to neighbours: Neighbours<RelationFields>
    ) {
        member.pointee.bound = neighbours
    }
}
