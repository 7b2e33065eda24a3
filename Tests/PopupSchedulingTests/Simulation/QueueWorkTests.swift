import Foundation
@testable import PopupScheduling
import Testing

// Steps that must not grow with the number of popups that wait in a group, counted in accesses to records. Only debug
// builds count. `POPUP_WAITING=1000000` makes the long queue so long.
#if DEBUG
    @Suite struct QueueWorkTests {
        /// The reason why the popups of a long queue wait, and the command of each step.
        enum Case: CaseIterable {
            /// All age, and the active popup closes.
            case aging
            /// All age and are suspended, and one of them closes.
            case suspended
            /// All age, as many wait as may, and a newcomer evicts the last one.
            case overflowing
            /// The first ones are bound to a page that is not current, and the active popup closes.
            case offPage
            /// The first ones are of another session, and the active popup closes.
            case otherSession
            /// Offers of the first ones are answered with `later`, and the active popup closes.
            case postponed
            /// A cap of the whole group is closed, and a waiting popup closes.
            case capped
            /// A cap with the key of the first ones is closed, and the active popup closes.
            case cappedByKey
            /// As before, and the cap opens in each step beside an active popup of a higher priority.
            case reopened
            /// The priority of a popup in the middle is changed, and changed back.
            case moved
        }

        private static let many = ProcessInfo.processInfo.environment["POPUP_WAITING"].flatMap(Int.init) ?? 10_000

        @Test(arguments: Case.allCases)
        func `a step visits a few popups of a long queue`(queue: Case) {
            let (few, many) = (accesses(waiting: 100, queue), accesses(waiting: Self.many, queue))
            // A tree of ten thousand popups is about three times as deep as one of a hundred.
            #expect(few > 0 && many <= 5 * few, "\(few) accesses with 100 waiting popups, \(many) with \(Self.many)")
        }

        /// Returns the accesses to records in a step, in the mean of some steps.
        private func accesses(waiting: Int, _ queue: Case) -> Int {
            let steps = 20
            var work = Work(waiting: waiting, steps: steps, queue)
            let before = work.accesses
            for step in 0..<steps { work.step(step) }
            let accesses = (work.accesses - before) / steps
            let broken = work.waiting <= 10_000 ? work.scheduler.brokenInvariants() : []
            #expect(broken == [])
            return accesses
        }

        private struct Work: ~Copyable {
            var scheduler: Scheduler
            let waiting: Int
            private let queue: Case
            private var output = EventBuffer()
            private var now: Milliseconds = 0

            /// Fills the queue of a group, and shows another popup in it.
            init(waiting: Int, steps: Int, _ queue: Case) {
                (self.waiting, self.queue) = (waiting, queue)
                var limits = Limits()
                limits.popups = 2 * waiting + 1000
                limits.waitingPerGroup = 2 * waiting + 1000
                limits.maxIDs = 4 * waiting + 1000
                limits.contentBytes = 1 << 40
                scheduler = Scheduler(limits: limits)
                var policy = Policy.polite
                switch queue {
                case .aging, .suspended: policy.aging = 1000
                case .overflowing:
                    policy.aging = 1000
                    policy.maxWaiting = UInt32(waiting)
                    policy.overflow = .dropLowest
                case .capped: policy.caps = [Cap(most: 1, window: 1_000_000)]
                case .cappedByKey: policy.caps = [Cap(key: Array("key".utf8), most: 1, window: 1_000_000)]
                case .reopened: policy.caps = [Cap(key: Array("key".utf8), most: 1, window: 100)]
                case .postponed: policy.retry = 1_000_000
                case .offPage, .otherSession, .moved: break
                }
                apply { .setPolicy(pattern: $0.add("g"), policy) }
                if queue == .capped {
                    show("first", priority: 9)
                    dismiss("first")
                } else if queue != .postponed {
                    if queue == .cappedByKey || queue == .reopened {
                        show("first", priority: 9) { $0.capKey = $1.add("key") }
                        dismiss("first")
                    }
                    show("active", priority: 20)
                }
                if queue == .offPage {
                    for page in ["home", "other"] {
                        apply {
                            .page(
                                PageChange(
                                    tree: $0.add("tree"),
                                    .open(
                                        node: $0.add(page), parent: page == "home" ? .none : $0.add("home"),
                                        value: $0.add(page))))
                        }
                    }
                }
                for number in 0..<waiting { addWaiting(number) }
                if queue == .suspended {
                    apply { .suspend(Suspension(pattern: $0.add("g"), token: $0.add("token"))) }
                    dismiss("active")
                } else if [.offPage, .otherSession, .postponed, .cappedByKey, .reopened].contains(queue) {
                    for number in 0...steps { show("next \(number)", priority: 0) }
                }
                output.removeAll()
            }

            private mutating func addWaiting(_ number: Int) {
                switch queue {
                case .aging, .suspended, .overflowing:
                    now += Milliseconds(number % 3)
                    show("\(number)", priority: Int32(number % 7))
                case .offPage:
                    show("\(number)", priority: 5) {
                        $0.page = PageBinding(tree: $1.add("tree"), value: $1.add("other"), scope: .current)
                    }
                case .otherSession: show("\(number)", priority: 5) { $0.session = $1.add("another") }
                case .postponed:
                    show("\(number)", priority: 5) { request, _ in request.offer = 1000 }
                    apply {
                        .answer(Answer(id: $0.add("\(number)"), client: $0.add("client"), .later(retry: nil)))
                    }
                case .capped, .moved: show("\(number)", priority: 5)
                case .cappedByKey, .reopened: show("\(number)", priority: 5) { $0.capKey = $1.add("key") }
                }
            }

            var accesses: Int {
                scheduler.popups.accesses + scheduler.groups.candidateAccesses + scheduler.popups.relations.accesses
            }

            /// Carries out one step, and checks what it shows or closes.
            mutating func step(_ number: Int) {
                output.removeAll()
                switch queue {
                case .suspended, .capped:
                    dismiss("\(number)")
                    #expect(kinds == ["closed"])
                case .overflowing:
                    show("newcomer \(number)", priority: 10)
                    #expect(kinds == ["closed", "queued"])
                case .reopened:
                    now += 100
                    while scheduler.step(until: now, into: &output) {}
                    #expect(kinds == [], "the active popup has a higher priority")
                    apply { .advance(group: $0.add("g")) }
                    #expect(kinds == ["closed", "shown"])
                    output.removeAll()
                    show("next active \(number)", priority: 20)
                    apply { .advance(group: $0.add("g")) }
                    #expect(kinds == ["queued", "closed", "shown"])
                case .moved:
                    let id = "\(waiting / 2 + number)"
                    for priority in [6, 5] as [Int32] {
                        apply {
                            var update = PopupUpdate(id: $0.add(id))
                            update.priority = priority
                            return .update(update)
                        }
                    }
                    #expect(kinds == ["another", "another"])
                case .aging, .offPage, .otherSession, .postponed, .cappedByKey:
                    apply { .advance(group: $0.add("g")) }
                    #expect(kinds == ["closed", "shown"])
                }
            }

            private var kinds: [String] {
                output.events.map { event in
                    switch event.kind {
                    case .shown: "shown"
                    case .closed: "closed"
                    case .queued: "queued"
                    default: "another"
                    }
                }
            }

            private mutating func dismiss(_ id: String) {
                apply { .dismiss(Dismissal(id: $0.add(id), action: .none)) }
            }

            private mutating func show(
                _ id: String, priority: Int32, _ change: (inout PopupRequest, inout TextBuilder) -> Void = { _, _ in }
            ) {
                apply { text in
                    var request = PopupRequest(id: text.add(id), group: text.add("g"))
                    request.priority = priority
                    change(&request, &text)
                    return .show(request)
                }
            }

            private mutating func apply(_ make: (inout TextBuilder) -> Command) {
                var text = TextBuilder()
                let command = make(&text)
                let bytes = text.bytes
                let refusal = scheduler.apply(command, text: bytes.span.bytes, at: now, into: &output)
                #expect(refusal == nil)
            }
        }
    }
#endif
