@testable import PopupScheduling
import Testing

/// The suspensions: by token, and the highest threshold of a group.
@Suite struct SuspensionTableTests {
    @Test func `a token has one suspension, and the later one replaces the earlier one`() {
        var table = SuspensionTable()
        table.set("a", "shop/*", 5)
        table.set("a", "kiosk", 2)
        #expect(table.count == 1)
        #expect(table.threshold("shop/till") == .min && table.threshold("kiosk") == 2)
        table.remove(Array("a".utf8))
        #expect(table.count == 0 && table.threshold("kiosk") == .min)
    }

    @Test func `each beginning has a higher number, and a restored suspension has its former one`() {
        var table = SuspensionTable()
        table.set("a", "*", 1)
        let window = table.nextNumber()
        table.set("b", "*", 1)
        #expect(table.records.map(\.number) == [1, 3] && window == 2 && table.latest == 3)
        var restored = SuspensionTable(latest: table.latest)
        for record in table.records { restored.restore(record) }
        restored.set("c", "*", 1)
        #expect(restored.records.map(\.number) == [1, 3, 4])
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `the highest threshold of a group is that of all suspensions that match it`(seed: UInt64) {
        var random = Generator(seed: seed)
        func below(_ bound: UInt32) -> UInt32 { random.next(in: 0...bound - 1) }
        let segments = ["a", "b", "ab"]
        func name() -> String { (0...below(3)).map { _ in segments[Int(below(3))] }.joined(separator: "/") }
        func pattern() -> String { ["*", "", name(), name() + "/*", name() + "/*"][Int(below(5))] }
        var table = SuspensionTable()
        for step in 0..<300 {
            let token = "\(below(20))"
            if below(3) == 0 { table.remove(Array(token.utf8)) } else { table.set(token, pattern(), Int64(below(100))) }
            if step == 150 {
                var restored = SuspensionTable(latest: table.latest)
                for record in table.records { restored.restore(record) }
                table = restored
            }
            let (group, number) = (name(), UInt64(below(2)) * UInt64(below(200)))
            let matching = table.records.filter { record in
                record.number > number && Array(group.utf8).withUnsafeBytes { record.matches($0) }
            }
            let expected = matching.map(\.threshold).max() ?? .min
            #expect(table.threshold(group, after: number) == expected, "\(group) after \(number) in step \(step)")
        }
    }

    @Test func `only suspensions after a number count`() {
        var table = SuspensionTable()
        table.set("a", "*", 9)
        table.set("b", "shop/*", 4)
        #expect(table.threshold("shop/till") == 9)
        #expect(table.threshold("shop/till", after: 1) == 4)
        #expect(table.threshold("shop/till", after: 2) == .min)
    }
}

extension SuspensionTable {
    fileprivate mutating func set(_ token: String, _ pattern: String, _ threshold: Int64) {
        set(Record(token: Array(token.utf8), pattern: Array(pattern.utf8), threshold: threshold))
    }

    fileprivate func threshold(_ group: String, after number: UInt64 = 0) -> Int64 {
        let name = Array(group.utf8)
        return name.withUnsafeBytes { threshold(for: $0, after: number) }
    }
}
