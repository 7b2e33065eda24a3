import PopupAccess
import PopupProtocol
import Testing

/// Right × command: what a user's grants allow.
struct UserAccessTests {
    private let lobby = GroupPattern("lobby")!
    private let freight = GroupPattern("freight/*")!
    private let lyon = GroupPattern("freight/lyon")!

    /// Each action in its plainest form.
    private static let actions: [(action: AccessRequest.Action, right: Right)] = [
        (.show(priority: 0, exclusive: .none), .show),
        (.update(isOwn: true, priority: nil), .update),
        (.dismiss(isOwn: true, isShown: false), .dismiss),
        (.clear(isOwn: true), .control),
        (.control, .control),
        (.render, .render),
        (.query, .query),
    ]

    @Test func aRightAllowsItsCommandsAndNoOthers() {
        for right in Right.allCases {
            let access = UserAccess([Grant(groups: [lobby], rights: Rights(right))])
            for (action, needed) in Self.actions {
                let denial = access.denial(of: AccessRequest(action, in: lobby))
                #expect((denial == nil) == (right == needed), "\(right) and \(action)")
            }
        }
    }

    @Test func aGrantHoldsInItsGroupsOnly() {
        let access = UserAccess([Grant(groups: [freight], rights: .all)])
        for (action, right) in Self.actions {
            #expect(access.denial(of: AccessRequest(action, in: lyon)) == nil)
            for outside in [lobby, GroupPattern("freight")!, .every] {
                #expect(
                    access.denial(of: AccessRequest(action, in: outside)) == Denial(.right, of: right, in: outside))
            }
        }
    }

    @Test func aPatternMustBeContainedAndIsNeverNarrowed() {
        let access = UserAccess([Grant(groups: [lyon, lobby], rights: .all)])
        #expect(access.denial(of: AccessRequest(.control, in: freight)) != nil)
        #expect(access.denial(of: AccessRequest(.control, in: lyon)) == nil)
    }

    @Test func aHigherPriorityIsDeniedAndTheLimitTold() {
        let access = UserAccess([Grant(groups: [lobby], rights: [Rights(.show), Rights(.update)], maxPriority: 5)])
        #expect(access.denial(of: AccessRequest(.show(priority: 5, exclusive: .none), in: lobby)) == nil)
        let shown = access.denial(of: AccessRequest(.show(priority: 6, exclusive: .none), in: lobby))
        #expect(shown == Denial(.priority(maximum: 5), of: .show, in: lobby))
        #expect(shown?.description == "may show in \"lobby\" up to the priority 5 only; send a lower one")
        // Nor can a popup be raised afterwards.
        let update = AccessRequest(.update(isOwn: true, priority: 6), in: lobby)
        #expect(access.denial(of: update) == Denial(.priority(maximum: 5), of: .update, in: lobby))
        #expect(access.denial(of: AccessRequest(.update(isOwn: true, priority: nil), in: lobby)) == nil)
    }

    @Test func exclusiveReachesAsFarAsItIsGranted() {
        for granted in Grant.ExclusiveReach.allCases {
            let access = UserAccess([Grant(groups: [.every], rights: Rights(.show), exclusive: granted)])
            for asked in Grant.ExclusiveReach.allCases {
                let denial = access.denial(of: AccessRequest(.show(priority: 0, exclusive: asked), in: lobby))
                #expect(denial?.cause == (asked > granted ? .exclusive(maximum: granted) : nil))
            }
        }
    }

    @Test func whoMayTouchOnlyItsOwnPopupsTouchesNoOthers() {
        let access = UserAccess([
            Grant(groups: [lobby], rights: [Rights(.update), Rights(.dismiss), Rights(.control)], ownPopupsOnly: true)
        ])
        let own: [AccessRequest.Action] = [
            .update(isOwn: true, priority: nil), .dismiss(isOwn: true, isShown: false), .clear(isOwn: true),
        ]
        let others: [AccessRequest.Action] = [
            .update(isOwn: false, priority: nil), .dismiss(isOwn: false, isShown: true), .clear(isOwn: false),
            .control,
        ]
        for action in own { #expect(access.denial(of: AccessRequest(action, in: lobby)) == nil) }
        for action in others {
            #expect(access.denial(of: AccessRequest(action, in: lobby))?.cause == .ownPopupsOnly, "\(action)")
        }
    }

    @Test func aRendererDismissesWhatItsGroupShowsAndNothingElse() {
        let access = UserAccess([Grant(groups: [lobby], rights: Rights(.render))])
        #expect(access.denial(of: AccessRequest(.dismiss(isOwn: false, isShown: true), in: lobby)) == nil)
        #expect(access.denial(of: AccessRequest(.dismiss(isOwn: false, isShown: false), in: lobby)) != nil)
    }

    @Test func grantsDoNotAddUp() {
        let access = UserAccess([
            Grant(groups: [.every], rights: Rights(.show), maxPriority: 1),
            Grant(groups: [lobby], rights: Rights(.show), maxPriority: 5),
            Grant(groups: [lobby], rights: Rights(.show), maxPriority: 3, exclusive: .group),
        ])
        func cause(_ priority: Int32, _ exclusive: Grant.ExclusiveReach, in group: GroupPattern) -> Denial.Cause? {
            access.denial(of: AccessRequest(.show(priority: priority, exclusive: exclusive), in: group))?.cause
        }
        #expect(cause(5, .none, in: lobby) == nil)
        #expect(cause(3, .group, in: lobby) == nil)
        #expect(cause(5, .none, in: lyon) == .priority(maximum: 1))
        #expect(cause(6, .none, in: lobby) == .priority(maximum: 5))
        #expect(cause(4, .group, in: lobby) == .priority(maximum: 3))
    }

    @Test func whoHasEverythingIsNeverDenied() {
        #expect(UserAccess.unrestricted.isUnrestricted)
        #expect(!UserAccess([Grant(groups: [.every], rights: .all)]).isUnrestricted)
        let request = AccessRequest(.show(priority: .max, exclusive: .all), in: lobby)
        #expect(UserAccess.unrestricted.denial(of: request) == nil)
        #expect(UserAccess.nothing.denial(of: request) != nil)
    }

    /// Grants of each form against groups that begin alike, priorities at the limit, and each reach.
    @Test func theShortAnswerForAPopupIsThatOfTheLongOne() {
        let groups = ["a", "ab", "a/b", "a/b/c", "b"]
        for pattern in groups + ["a/*", "a/b/*", "*"] {
            for (right, reach) in [
                (Right.show, Grant.ExclusiveReach.none), (.show, .group), (.show, .all), (.update, .all),
            ] {
                let grant = Grant(
                    groups: [GroupPattern("none")!, GroupPattern(pattern)!], rights: Rights(right), maxPriority: 2,
                    exclusive: reach)
                let access = UserAccess([grant])
                for group in groups {
                    for priority in [Int32.min, 2, 3] {
                        for exclusive in Grant.ExclusiveReach.allCases {
                            let request = AccessRequest(
                                .show(priority: priority, exclusive: exclusive), in: GroupPattern(group)!)
                            let isAllowed = access.mayShow(
                                in: Array(group.utf8).span.bytes, priority: priority, exclusive: exclusive)
                            #expect(isAllowed == (access.denial(of: request) == nil), "\(request) by \(grant)")
                        }
                    }
                }
            }
        }
    }
}
