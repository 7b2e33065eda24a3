@testable import PopupScheduling
import Testing

/// The accounts of producers: who pays, and who holds the most ids.
@Suite struct AccountsTests {
    @Test func `commands without a producer share one account, which always exists`() {
        var accounts = Accounts()
        let (payer, count) = (accounts.payer(nil, seed: 1, limit: 5), accounts.count)
        #expect(payer == Accounts.shared && count == 0)
        accounts.forgetIfEmpty(Accounts.shared)
        let isThere = accounts.contains(Accounts.shared)
        #expect(isThere)
    }

    @Test func `a producer has one account until it holds nothing`() {
        var accounts = Accounts()
        let mine = accounts.account(of: 7)
        let (same, others, count) = (accounts.account(of: 7), accounts.account(of: 8), accounts.count)
        #expect(same == mine && others != mine && count == 2)
        accounts[mine].live = 1
        accounts.forgetIfEmpty(mine)
        let kept = accounts.find(ProducerID(7), seed: 1)
        #expect(kept == mine)
        accounts[mine].live = 0
        accounts.forgetIfEmpty(mine)
        let (found, left, isInOrder) = (accounts.find(ProducerID(7), seed: 1), accounts.count, accounts.isInOrder)
        #expect(found == nil && left == 1 && isInOrder)
    }

    @Test func `producers beyond the limit share the account of commands without a producer`() {
        var accounts = Accounts()
        let first = accounts.account(of: 1, limit: 1)
        let (second, again) = (accounts.account(of: 2, limit: 1), accounts.account(of: 1, limit: 1))
        #expect(second == Accounts.shared && again == first)
        let none = accounts.payer(ProducerID(3), seed: 1, limit: 2)
        let shared = accounts.payer(ProducerID(3), seed: 1, limit: 1)
        #expect(none == nil && shared == Accounts.shared)
    }

    @Test func `of accounts that hold as many ids, the shared one is first, then the first by name`() {
        var accounts = Accounts()
        let (nine, two) = (accounts.account(of: 9), accounts.account(of: 2))
        var heaviest = [accounts.heaviest]
        for account in [nine, two] { accounts.countRemembered(of: account) }
        heaviest.append(accounts.heaviest)
        accounts.countRemembered(of: nine)
        heaviest.append(accounts.heaviest)
        for _ in 0..<2 { accounts.countForgotten(of: nine) }
        heaviest.append(accounts.heaviest)
        accounts.countRemembered(of: Accounts.shared)
        heaviest.append(accounts.heaviest)
        #expect(heaviest == [Accounts.shared, two, nine, two, Accounts.shared])
        let isInOrder = accounts.isInOrder
        #expect(isInOrder)
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `the heaviest account is that of a plain model`(seed: UInt64) {
        var random = ReferenceGenerator(seed: seed)
        var accounts = Accounts()
        // The remembered ids of each producer; of the shared account at 0.
        var model: [UInt64: Int] = [0: 0]
        for _ in 0..<4000 {
            let name = UInt64(random.below(30))
            let account = name == 0 ? Accounts.shared : accounts.account(of: name)
            if random.below(5) < 3 {
                accounts.countRemembered(of: account)
                model[name, default: 0] += 1
            } else if model[name, default: 0] > 0 {
                accounts.countForgotten(of: account)
                model[name]! -= 1
            }
            accounts.forgetIfEmpty(account)
            if name != 0, model[name, default: 0] == 0 { model[name] = nil }
            let heaviest = model.max { $0.value != $1.value ? $0.value < $1.value : $0.key > $1.key }!.key
            let (found, isInOrder, count) = (accounts[accounts.heaviest].name, accounts.isInOrder, accounts.count)
            #expect(found == ProducerID(heaviest) && isInOrder && count == model.count - 1)
        }
    }
}

extension ProducerID {
    /// The id of a test's producer; 0 is that of the shared account.
    fileprivate init(_ number: UInt64) { self.init(high: 0, low: number) }
}

extension Accounts {
    fileprivate mutating func account(of producer: UInt64, limit: Int = .max) -> AccountRecord.Index {
        findOrMake(ProducerID(producer), seed: 1, limit: limit)
    }
}
