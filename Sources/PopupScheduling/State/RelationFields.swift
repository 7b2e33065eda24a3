/// The fields that only some popups have, so that others do not need memory for them: flow, page, session, cap key,
/// offer, quorum, and the renderings of the popup.
struct RelationFields: BitwiseCopyable {
    typealias Index = TableIndex<RelationFields>

    /// The knowledge about the requirement of a flow's member.
    enum Requirement: UInt8, BitwiseCopyable {
        /// The member requires nothing.
        case none
        case unknown
        case met
        case failed
    }

    /// The popup to which the fields belong.
    let popup: PopupRecord.Index

    // Its flow, and its neighbours among the live members of the flow.
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
    /// Whether its page is where it has to be, as last updated; `true` if it is bound to none.
    var isOnPage = true

    var session = ByteReference.empty
    var capKey = ByteReference.empty

    var offer: UInt32 = 0
    /// While this timer runs, the popup is not eligible.
    @Packed var retry: TimerQueue.Index?

    var quorum: UInt32 = 0
    var quorumAll = false
    /// The renderings of the popup, the latest first.
    var renderings = List<RenderingsOfPopup>()
    var renderingCount: Int32 = 0
    var displays: Int32 = 0
    var views: Int32 = 0
    var dismissals: Int32 = 0
    /// The action of the last dismissal that did not close it.
    var lastAction = ByteReference.empty

    init(of popup: PopupRecord.Index) {
        self.popup = popup
    }

    /// All its texts in the store.
    var texts: [ByteReference] { [required, requiredAction, page, session, capKey, lastAction] }

    /// Lets a sparse store move all its texts.
    mutating func compactTexts(in store: inout ByteStore) {
        store.compact(&required)
        store.compact(&requiredAction)
        store.compact(&page)
        store.compact(&session)
        store.compact(&capKey)
        store.compact(&lastAction)
    }
}

/// The links of the live members of a flow, in order of acceptance.
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

/// The links of the live popups bound to a tree of pages, in order of acceptance.
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
