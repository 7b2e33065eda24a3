import PopupAccess
import PopupProtocol
import Testing

@testable import PopupGateway

@Suite("Request budgets")
struct BudgetTests {
    private let start = ContinuousClock.now

    @Test("A budget allows five seconds' worth at once, then its rate, and never more after a pause")
    func rate() {
        var budget = RequestBudget(rate: 20, at: start)
        let allowed = { (seconds: Double) in
            var count = 0
            while budget.take(rate: 20, at: start + .seconds(seconds)) == nil { count += 1 }
            return count
        }
        #expect(allowed(0) == 100)
        #expect(allowed(0) == 0)
        #expect(allowed(0.5) == 10)
        #expect(allowed(1.5) == 20)
        #expect(allowed(3600) == 100)
    }

    @Test("Who has none left learns when there is one again")
    func wait() throws {
        var budget = RequestBudget(rate: 10, at: start)
        var refusals = (0..<50).compactMap { _ in budget.take(rate: 10, at: start) }
        #expect(refusals.isEmpty)
        refusals = [budget.take(rate: 10, at: start)].compactMap { $0 }
        let wait = try #require(refusals.first)
        #expect(abs(wait / .milliseconds(100) - 1) < 0.001)
        let later = budget.take(rate: 10, at: start + wait + .microseconds(1))
        #expect(later == nil)
    }

    @Test("Each token has a budget of its own, and may have a rate of its own")
    func tokens() throws {
        let token = { (name: String, requests: Int?) in
            AccessToken(name: UserName(name)!, hash: TokenHash(of: name), may: [.watch: [.every]], requests: requests)
        }
        let budgets = RequestBudgets()
        for _ in 0..<5 { try budgets.take(for: token("slow", nil), rate: 1, at: start) }
        let problem = #expect(throws: Problem.self) { try budgets.take(for: token("slow", nil), rate: 1, at: start) }
        #expect(problem?.status == 429)
        #expect(problem?.response.headers["Retry-After"] == "1")
        for _ in 0..<500 { try budgets.take(for: token("quick", 100), rate: 1, at: start) }
    }

    @Test("All streams of a token open at once, whatever it asks besides; then as many as the rate, or a fifth of them")
    func streams() throws {
        let token = { (streams: Int) in
            AccessToken(
                name: UserName("screens")!, hash: TokenHash(of: "\(streams)"), may: [.watch: [.every]], streams: streams
            )
        }
        let budgets = RequestBudgets()
        for (streams, atOnce, later) in [(1000, 1000, 200), (3, 100, 20)] {
            let token = token(streams)
            let opened = { (seconds: Double) in
                var count = 0
                while budgets.takeStream(for: token, rate: 20, at: self.start + .seconds(seconds)) { count += 1 }
                return count
            }
            #expect(opened(0) == atOnce)
            #expect(opened(1) == later)
            for _ in 0..<100 { try budgets.take(for: token, rate: 20, at: start + .seconds(1)) }
        }
    }

    @Test(
        "The bodies of all requests have a limited size, and those of one token a quarter of it, or of all without one")
    func bodies() {
        let memory = BodyMemory(limit: 100)
        let tokens = (0..<4).map { TokenHash(of: "\($0)") }
        #expect(memory.take(25, for: tokens[0]) && !memory.take(1, for: tokens[0]) && memory.take(0, for: tokens[0]))
        #expect(memory.take(20, for: nil) && !memory.take(6, for: nil) && memory.take(5, for: nil))
        #expect(memory.take(25, for: tokens[1]) && memory.take(20, for: tokens[2]))
        // A fifth finds only what is left.
        #expect(!memory.take(6, for: tokens[3]) && memory.take(5, for: tokens[3]))
        memory.release(15, for: tokens[0])
        #expect(!memory.take(16, for: tokens[0]) && memory.take(15, for: tokens[0]))
    }
}
