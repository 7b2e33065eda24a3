@testable import PopupScheduling
import Testing

/// The wheels against a plain heap: the same timers, in the same order, whatever is set, cancelled and taken.
@Suite struct TimerQueueTests {
    /// How far ahead timers are set.
    enum Reach: CaseIterable {
        /// Within a few slots of the lowest wheel: many of one instant.
        case instants
        /// As display times are.
        case seconds
        /// Over all levels, up to times that are never reached.
        case anywhere

        func draw(_ random: inout ReferenceGenerator) -> Milliseconds {
            switch self {
            case .instants: Milliseconds(random.below(200))
            case .seconds: Milliseconds(random.below(3) * 5000 + random.below(90))
            case .anywhere: Milliseconds(random.below(64)) << Milliseconds(random.below(52))
            }
        }
    }

    /// The limits of rings: those of the product, and some with which short rings are distributed early, too.
    enum Rings: CaseIterable {
        case asBuilt, short

        var limits: TimerQueue.RingLimits {
            switch self {
            case .asBuilt: .init()
            case .short: .init(longRing: 3, settingsPerMeasurement: 2)
            }
        }
    }

    /// Returns numbers of timers with the limits of the product, and with those of short rings.
    static func crowds(_ asBuilt: [Int], short: [Int]) -> [(crowd: Int, rings: Rings)] {
        asBuilt.map { ($0, .asBuilt) } + short.map { ($0, .short) }
    }

    /// A queue and a heap that are told the same, and what they differed in.
    struct Pair: ~Copyable {
        var queue: TimerQueue
        var heap = TimerHeap()
        var differences: [String] = []

        init(_ rings: Rings = .asBuilt, settings: UInt64 = 0) {
            queue = TimerQueue(settings: settings, limits: rings.limits)
        }

        mutating func set(_ task: TimerTask, due: Milliseconds) -> TimerQueue.Index {
            let timer = queue.set(task, due: due)
            heap.insert(.init(due: due, order: queue.settings, task: task))
            if queue.due(timer) != due { differences.append("\(task) is due at \(queue.due(timer)), not \(due)") }
            return timer
        }

        mutating func cancel(_ timer: TimerQueue.Index) {
            heap.cancel(queue.order(of: timer))
            queue.cancel(timer)
        }

        mutating func reset(_ timer: TimerQueue.Index, _ task: TimerTask, due: Milliseconds) {
            heap.cancel(queue.order(of: timer))
            queue.reset(timer, due: due)
            heap.insert(.init(due: due, order: queue.settings, task: task))
            if queue.due(timer) != due { differences.append("\(task) is due at \(queue.due(timer)), not \(due)") }
        }

        /// What both have taken: the due time and the task.
        mutating func takeFirst(until now: Milliseconds = .max) -> DueTimer? {
            let (taken, expected) = (queue.takeFirst(until: now), heap.takeFirst(until: now))
            if taken?.due != expected?.due || taken?.task != expected?.task {
                differences.append("\(expected.debugDescription) is first, not \(taken.debugDescription)")
            }
            return taken
        }

        mutating func compare() {
            if queue.nextDue != heap.first?.due { differences.append("the first is due at \(queue.nextDue ?? -1)") }
            if queue.count != heap.set.count { differences.append("\(queue.count) of \(heap.set.count) are set") }
        }

        mutating func inspect() {
            if !queue.isInOrder { differences.append("out of order") }
        }
    }

    @Test(arguments: Reach.allCases, Self.crowds([3, 200, 5000], short: [200, 5000]))
    func `random operations have the results of a heap`(_ reach: Reach, _ kind: (crowd: Int, rings: Rings)) {
        let crowd = kind.crowd
        var random = ReferenceGenerator(seed: UInt64(crowd))
        var pair = Pair(kind.rings)
        /// The timers that are set, by owner; those of the first and the last that were set are often wanted.
        var set: [Int: TimerQueue.Index] = [:]
        var owners: [Int] = []
        var now: Milliseconds = 0
        for operation in 0..<40_000 {
            switch random.below(set.count < crowd ? 5 : 8) {
            case 0...2:
                let task = TimerTask.drawn(&random, owner: operation)
                set[operation] = pair.set(task, due: now + reach.draw(&random))
                owners.append(operation)
            case 3, 5:
                guard !owners.isEmpty else { continue }
                let place = random.below(2) == 0 ? random.below(owners.count) : random.below(2) * (owners.count - 1)
                owners.swapAt(place, owners.count - 1)
                if let timer = set.removeValue(forKey: owners.removeLast()) { pair.cancel(timer) }
            default:
                // Mostly a little later, sometimes at the next one, sometimes days.
                switch random.below(40) {
                case 0: now += Milliseconds(random.below(1 << 30))
                case 1...5: now = max(now, pair.queue.nextDue ?? now)
                default: now += Milliseconds(random.below(30))
                }
                for _ in 0..<random.below(20) {
                    guard let taken = pair.takeFirst(until: now) else { break }
                    set[taken.task.owner] = nil
                }
            }
            pair.compare()
            if operation % 997 == 0 { pair.inspect() }
        }
        while pair.takeFirst() != nil {}
        pair.compare()
        pair.inspect()
        let (differences, left) = (pair.differences, pair.queue.count)
        #expect(differences == [] && left == 0)
    }

    @Test(arguments: Reach.allCases, Self.crowds([1, 2, 40, 2000], short: [40, 2000]))
    func `a timer that is reset fires like one that is cancelled and set again`(
        _ reach: Reach, _ kind: (crowd: Int, rings: Rings)
    ) {
        let crowd = kind.crowd
        var random = ReferenceGenerator(seed: UInt64(crowd) + 90)
        var pair = Pair(kind.rings)
        var now: Milliseconds = 0
        var timers: [(index: TimerQueue.Index, task: TimerTask)] = []
        for owner in 0..<crowd {
            let task = TimerTask.drawn(&random, owner: owner)
            timers.append((pair.set(task, due: now + reach.draw(&random)), task))
        }
        for operation in 0..<20_000 {
            if random.below(3) > 0 {
                let (index, task) = timers[random.below(crowd)]
                pair.reset(index, task, due: now + reach.draw(&random))
            } else {
                now += Milliseconds(random.below(30))
                while let taken = pair.takeFirst(until: now) {
                    timers[taken.task.owner].index = pair.set(taken.task, due: now + 1 + reach.draw(&random))
                }
            }
            pair.compare()
            if operation % 997 == 0 { pair.inspect() }
        }
        while pair.takeFirst() != nil {}
        pair.compare()
        pair.inspect()
        let (differences, left) = (pair.differences, pair.queue.count)
        #expect(differences == [] && left == 0)
    }

    @Test(arguments: Reach.allCases, Rings.allCases)
    func `restored timers behave like the original ones`(_ reach: Reach, _ rings: Rings) {
        var random = ReferenceGenerator(seed: 7)
        var entries = (1...20_000).map { order in
            TimerHeap.Entry(due: reach.draw(&random), order: UInt64(order), task: .drawn(&random, owner: order))
        }
        for index in entries.indices { entries.swapAt(index, random.below(index + 1)) }
        var pair = Pair(rings, settings: 20_000)
        for entry in entries {
            _ = pair.queue.restore(entry.task, due: entry.due, order: entry.order)
            pair.heap.insert(entry)
        }
        pair.queue.arrange()
        pair.inspect()
        // For some that are taken one is set anew.
        while let taken = pair.takeFirst() {
            guard taken.task.owner <= 20_000, taken.task.owner % 3 == 0 else { continue }
            _ = pair.set(.drawn(&random, owner: taken.task.owner + 20_000), due: taken.due + reach.draw(&random))
        }
        let (differences, left) = (pair.differences, pair.queue.count)
        #expect(differences == [] && left == 0)
    }

    @Test func `timers set in descending order fire in ascending order, and no wheel is lost`() {
        var pair = Pair()
        for number in 0..<5000 {
            _ = pair.set(.display(.init(number: number)), due: Milliseconds(1_000_000 - number * 130))
        }
        pair.inspect()
        while pair.takeFirst() != nil {}
        let (differences, wheels) = (pair.differences, pair.queue.wheels.count)
        #expect(differences == [] && wheels == TimerWheels.levels)
    }

    @Test func `negative and extreme times fire in order`() {
        var pair = Pair()
        let times: [Milliseconds] = [0, .max, -1, .min, 1, .max - 1, .min + 1, -64, 64]
        for (number, time) in times.enumerated() { _ = pair.set(.cap(.init(number: number)), due: time) }
        pair.inspect()
        while pair.takeFirst() != nil {}
        let (differences, left) = (pair.differences, pair.queue.count)
        #expect(differences == [] && left == 0)
    }

    #if DEBUG
        @Test func `no step of the timers moves more than a few long rings, however many are due together`() {
            var queue = TimerQueue()
            var longest = 0
            func measure(_ step: (inout TimerQueue) -> Void) {
                let before = queue.placements
                step(&queue)
                longest = max(longest, queue.placements - before)
            }
            // Seen from the first one, the others are in one slot of level 3, and in a few slots of each level below.
            let count = 60_000
            measure { _ = $0.set(.display(.init(number: count)), due: 0) }
            for number in 0..<count {
                let due = Milliseconds(300_000 + number * 7 % 3000)
                measure { _ = $0.set(.display(.init(number: number)), due: due) }
            }
            var taken: [DueTimer] = []
            var isInOrder = queue.isInOrder
            while queue.count > 0 {
                measure { queue in
                    guard let timer = queue.takeFirst(until: .max) else { return }
                    // Timers of one instant come in the order in which they were set: by their numbers here.
                    if let last = taken.last {
                        isInOrder =
                            isInOrder && (last.due, last.task.owner % count) < (timer.due, timer.task.owner % count)
                    }
                    taken.append(timer)
                }
            }
            #expect(isInOrder && taken.count == count + 1)
            #expect(longest < 3 * TimerQueue.RingLimits().longRing, "a step moved \(longest) timers")
        }
    #endif

    @Test func `a timer takes 32 bytes`() {
        #expect(MemoryLayout<TimerQueue.Timer>.stride == 32)
    }
}

extension TimerTask {
    /// The place of the popup, flow, group, policy or renderer.
    fileprivate var owner: Int {
        switch self {
        case .arrival(let popup), .expiry(let popup), .offer(let popup), .retry(let popup), .display(let popup):
            popup.number
        case .minimumDisplay(let group), .displayTimeout(let group), .hold(let group), .gap(let group), .cap(let group):
            group.number
        case .gathering(let flow): flow.number
        case .quiet(let policy): policy.number
        case .lease(let client): client.number
        }
    }

    /// A task of any kind, of the owner at a place.
    fileprivate static func drawn(_ random: inout ReferenceGenerator, owner: Int) -> TimerTask {
        let tasks: [TimerTask] = [
            .arrival(.init(number: owner)), .gathering(.init(number: owner)), .expiry(.init(number: owner)),
            .offer(.init(number: owner)), .retry(.init(number: owner)), .display(.init(number: owner)),
            .minimumDisplay(.init(number: owner)), .displayTimeout(.init(number: owner)), .hold(.init(number: owner)),
            .gap(.init(number: owner)), .cap(.init(number: owner)), .quiet(.init(number: owner)),
            .lease(.init(number: owner)),
        ]
        return tasks[random.below(tasks.count)]
    }
}
