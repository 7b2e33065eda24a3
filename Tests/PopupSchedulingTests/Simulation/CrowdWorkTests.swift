@testable import PopupScheduling
import Testing

// Work that must not grow with the number of popups, counted in accesses to records, not in time. Only debug
// builds count.
#if DEBUG
    @Suite struct CrowdWorkTests {
        @Test(arguments: [false, true])
        func `a newcomer with a collapse key does not visit the delayed popups of its group`(ofItsKey isItsKey: Bool) {
            let (few, many) = (work(delayed: 100, isItsKey), work(delayed: 3000, isItsKey))
            #expect(few > 0 && many <= few + 8, "\(few) accesses with 100 delayed popups, \(many) with 3000")
        }

        /// Returns the accesses to popups that a `show` with a collapse key takes, in a group with delayed popups, all of
        /// its key or each of its own key.
        private func work(delayed: Int, _ isItsKey: Bool) -> Int {
            var scheduler = Scheduler()
            var output = EventBuffer()
            func show(_ id: String, delay: UInt32) {
                var text = TextBuilder()
                var request = PopupRequest(id: text.add(id), group: text.add("g"))
                request.delay = delay
                request.collapseKey = text.add(isItsKey ? "key" : "key of \(id)")
                let bytes = text.bytes
                #expect(scheduler.apply(.show(request), text: bytes.span.bytes, at: 0, into: &output) == nil)
            }
            for number in 0..<delayed { show("\(number)", delay: 1000) }
            output.removeAll()
            let before = scheduler.popups.accesses
            show("newcomer", delay: 0)
            let count = scheduler.popups.accesses - before
            let replaced = output.events.count { if case .closed(.replaced, _, _) = $0.kind { true } else { false } }
            #expect(replaced == (isItsKey ? 1 : 0))
            return count
        }

        @Test func `the end of a minimum display time does not visit the popups that did not try to take the slot`() {
            let (few, many) = (work(waiting: 100), work(waiting: 3000))
            #expect(few > 0 && many <= few + 8, "\(few) accesses with 100 waiting popups, \(many) with 3000")
        }

        /// Returns the accesses to popups at the end of a minimum display time, when one popup came too early.
        private func work(waiting: Int) -> Int {
            var scheduler = Scheduler()
            var output = EventBuffer()
            func show(_ id: String, priority: Int32, minimumDisplay: UInt32) {
                var text = TextBuilder()
                var request = PopupRequest(id: text.add(id), group: text.add("g"))
                request.priority = priority
                request.minimumDisplay = minimumDisplay
                let bytes = text.bytes
                #expect(scheduler.apply(.show(request), text: bytes.span.bytes, at: 0, into: &output) == nil)
            }
            show("protected", priority: 1, minimumDisplay: 50)
            for number in 0..<waiting { show("\(number)", priority: 0, minimumDisplay: 0) }
            show("early", priority: 2, minimumDisplay: 0)
            output.removeAll()
            let before = scheduler.popups.accesses
            #expect(scheduler.step(until: 50, into: &output))
            let kinds = output.events.map { $0.kind }
            #expect(kinds.contains { if case .shown = $0 { true } else { false } }, "the early popup is shown")
            return scheduler.popups.accesses - before
        }

        @Test(arguments: [0, 1000])
        func `the search for the next popup visits each member of a flow a few times`(aging: UInt32) {
            let (few, many) = (work(members: 10, aging: aging), work(members: 100, aging: aging))
            #expect(few > 0 && many <= 1.2 * few, "\(few) accesses a popup in flows of 10, \(many) in flows of 100")
        }

        /// Returns the accesses to popups, for each waiting one, that the search for the next popup takes. All wait in
        /// flows, and the first member of each flow is the last of it in the queue.
        private func work(members: UInt32, aging: UInt32) -> Double {
            var scheduler = Scheduler()
            var output = EventBuffer()
            func apply(_ make: (inout TextBuilder) -> Command) {
                var text = TextBuilder()
                let command = make(&text)
                let bytes = text.bytes
                #expect(scheduler.apply(command, text: bytes.span.bytes, at: 0, into: &output) == nil)
            }
            var policy = Policy()
            policy.aging = aging
            apply { .setPolicy(pattern: $0.add("g"), policy) }
            apply { .show(PopupRequest(id: $0.add("active"), group: $0.add("g"))) }
            let flows: UInt32 = 20
            for stage in (0..<members).reversed() {
                for flow in 0..<flows {
                    apply { text in
                        var request = PopupRequest(id: text.add("\(flow)-\(stage)"), group: text.add("g"))
                        var membership = FlowMembership(key: text.add("\(flow)"))
                        membership.stage = stage
                        request.flow = membership
                        return .show(request)
                    }
                }
            }
            output.removeAll()
            let before = scheduler.popups.accesses
            apply { .dismiss(Dismissal(id: $0.add("active"), action: .none)) }
            let shown = output.events.compactMap { event in
                if case .shown = event.kind { output.string(event.popup) } else { nil }
            }
            #expect(shown == ["0-0"], "the first stage of the first flow is shown")
            return Double(scheduler.popups.accesses - before) / Double(flows * members)
        }

        @Test func `popups that try to take the slot and close are not listed for ever`() {
            var scheduler = Scheduler()
            var output = EventBuffer()
            func apply(_ make: (inout TextBuilder) -> Command) {
                var text = TextBuilder()
                let command = make(&text)
                let bytes = text.bytes
                output.removeAll()
                #expect(scheduler.apply(command, text: bytes.span.bytes, at: 0, into: &output) == nil)
            }
            func show(_ id: String, priority: Int32, minimumDisplay: UInt32 = 0) {
                apply { text in
                    var request = PopupRequest(id: text.add(id), group: text.add("g"))
                    request.priority = priority
                    request.minimumDisplay = minimumDisplay
                    return .show(request)
                }
            }
            show("protected", priority: 1, minimumDisplay: 3_600_000)
            show("remains", priority: 2)
            var longest = 0
            for number in 0..<1000 {
                show("\(number)", priority: 2)
                apply { .dismiss(Dismissal(id: $0.add("\(number)"), action: .none)) }
                for group in scheduler.earlyAttempts.groups {
                    longest = max(longest, scheduler.earlyAttempts.count(in: group))
                }
            }
            #expect(longest > 0 && longest <= EarlyAttempts.smallestCapacity)
            var broken = scheduler.brokenInvariants()
            output.removeAll()
            #expect(scheduler.step(until: 3_600_000, into: &output))
            broken += scheduler.brokenInvariants()
            #expect(broken == [])
            let shown = output.events.filter { if case .shown = $0.kind { true } else { false } }
            #expect(shown.count == 1, "the remaining popup is shown")
        }
    }
#endif
