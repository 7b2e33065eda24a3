@testable import PopupBroker
import Testing

/// The amount of work of a turn.
@Suite struct TurnBudgetTests {
    @Test func `a turn has its budget, and each turn has it anew`() {
        var budget = TurnBudget(perTurn: 10)
        for _ in 0..<2 {
            budget.begin()
            budget.spend(9)
            let isSpentEarly = budget.isSpent
            budget.spend(5)
            #expect(!isSpentEarly && budget.isSpent)
        }
    }

    @Test func `there is no limit before the first turn and when it is lifted`() {
        var budget = TurnBudget(perTurn: 10)
        budget.spend(1_000_000)
        let isSpentBefore = budget.isSpent
        budget.begin()
        budget.spend(10)
        let isSpentInTurn = budget.isSpent
        budget.lift()
        budget.spend(1_000_000)
        #expect([isSpentBefore, isSpentInTurn, budget.isSpent] == [false, true, false])
    }
}
