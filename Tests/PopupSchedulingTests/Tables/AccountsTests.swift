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
        let (found, left, broken) = (accounts.find(ProducerID(7), seed: 1), accounts.count, accounts.brokenInvariants())
        #expect(found == nil && left == 1 && broken == [])
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
        let broken = accounts.brokenInvariants()
        #expect(broken == [])
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
            let (found, broken, count) = (accounts[accounts.heaviest].name, accounts.brokenInvariants(), accounts.count)
            #expect(found == ProducerID(heaviest) && broken == [] && count == model.count - 1)
        }
    }

    // MARK: - Users

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `users hold what their accounts do, and the heaviest account is that of a plain model`(seed: UInt64) {
        struct Owner: Hashable {
            var user: String
            var producer: UInt64
        }
        struct Held {
            var live = 0
            var bytes = 0
            var ids = 0
        }
        var random = ReferenceGenerator(seed: seed)
        var accounts = Accounts()
        accounts.setHaveUsers(true)
        var model: [Owner: Held] = [:]
        for step in 0..<4000 {
            let owner = Owner(user: ["", "a", "b", "c"][random.below(4)], producer: UInt64(random.below(8)))
            accounts.setUser(Array(owner.user.utf8))
            // The account of commands without a producer is that of 0.
            let account =
                owner.producer == 0
                ? accounts.findOrMake(nil, seed: 1, limit: .max) : accounts.account(of: owner.producer)
            var held = model[owner] ?? Held()
            switch random.below(6) {
            case 0, 1: held.live += 1
            case 2: held.live = 0
            case 3: held.bytes = random.below(100)
            case 4:
                held.ids += 1
                accounts.countRemembered(of: account)
            default:
                for _ in 0..<held.ids { accounts.countForgotten(of: account) }
                held = Held()
            }
            accounts[account].live = Int32(held.live)
            accounts[account].bytes = held.bytes
            accounts.forgetIfEmpty(account)
            model[owner] = held.live + held.bytes + held.ids == 0 ? nil : held

            let ids = model.values.reduce(0) { $0 + $1.ids }
            if ids > 0 {
                let users = Dictionary(grouping: model) { $0.key.user }
                let heaviest = users.max { first, second in
                    let (mine, theirs) = (
                        first.value.reduce(0) { $0 + $1.value.ids }, second.value.reduce(0) { $0 + $1.value.ids }
                    )
                    return mine != theirs ? mine < theirs : first.key > second.key
                }!
                let expected = heaviest.value.max { first, second in
                    first.value.ids != second.value.ids
                        ? first.value.ids < second.value.ids : first.key.producer > second.key.producer
                }!
                let found = accounts.heaviest(ofAll: ids)
                let (user, name) = (accounts.userName(of: found), accounts[found].name)
                #expect(user == Array(heaviest.key.utf8) && name == ProducerID(expected.key.producer))
            }
            guard step % 7 == 0 else { continue }
            for user in ["", "a", "b", "c"] {
                accounts.setUser(Array(user.utf8))
                let number = accounts.user(of: nil)
                let (live, bytes) = (
                    accounts.held(by: number, of: .popups), accounts.held(by: number, of: .contentBytes)
                )
                let mine = model.filter { $0.key.user == user }.values
                #expect(live == mine.reduce(0) { $0 + $1.live } && bytes == mine.reduce(0) { $0 + $1.bytes })
            }
            let broken = accounts.brokenInvariants()
            #expect(broken == [])
        }
    }

    @Test func `a user holds what its accounts do, however many of them change before that is asked for`() {
        var accounts = Accounts()
        accounts.setHaveUsers(true)
        for round in 1...3 as ClosedRange<UInt64> {
            accounts.setUser(Array("a".utf8))
            for number in 1...1500 as ClosedRange<UInt64> {
                accounts.beginStep()
                let account = accounts.account(of: number)
                accounts[account].live += 1
                // Every third one is removed, and an account of another user takes its place.
                guard number % 3 == 0 else { continue }
                accounts[account].live = 0
                accounts.forgetIfEmpty(account)
                accounts.setUser(Array("b".utf8))
                let other = accounts.account(of: number)
                accounts[other].live += 1
                accounts.setUser(Array("a".utf8))
            }
            let mine = accounts.held(by: accounts.user(of: nil), of: .popups)
            accounts.setUser(Array("b".utf8))
            let others = accounts.held(by: accounts.user(of: nil), of: .popups)
            #expect(mine == 1000 * Int(round) && others == 500 * Int(round))
        }
        let broken = accounts.brokenInvariants()
        #expect(broken == [])
    }

    @Test func `users beyond the limit are as clients without a key, until a place is free`() {
        var accounts = Accounts()
        accounts.setHaveUsers(true)
        func account(of user: Int) -> AccountRecord.Index {
            accounts.setUser(Array("u\(user)".utf8))
            return accounts.account(of: 1)
        }
        var made: [AccountRecord.Index] = []
        for user in 1...UserTable.maxCount {
            made.append(account(of: user))
            accounts[made[user - 1]].live = 1
        }
        let further = account(of: 0)
        accounts[further].live = 1
        let (name, none) = (accounts.userName(of: further), accounts.findOrMake(nil, seed: 1, limit: .max))
        #expect(name == [] && none == Accounts.shared)
        accounts[made[4]].live = 0
        accounts.forgetIfEmpty(made[4])
        let own = account(of: 0)
        accounts[own].live = 1
        let (ownName, broken) = (accounts.userName(of: own), accounts.brokenInvariants())
        #expect(own != further && ownName == Array("u0".utf8) && broken == [])
    }

    @Test func `each user has an account for commands without a producer, whatever the number of names`() {
        var accounts = Accounts()
        accounts.setHaveUsers(true)
        accounts.setUser(Array("many".utf8))
        for number in 1...5 as ClosedRange<UInt64> {
            let account = accounts.account(of: number, limit: 3)
            accounts[account].live += 1
        }
        let shared = accounts.findOrMake(nil, seed: 1, limit: 3)
        let (live, count) = (accounts[shared].live, accounts.count)
        #expect(shared != Accounts.shared && live == 2 && count == 3)
        accounts.setUser(Array("one".utf8))
        let (none, other) = (
            accounts.payer(ProducerID(9), seed: 1, limit: 3), accounts.account(of: 9, limit: 3)
        )
        #expect(none == nil && other != shared)
        accounts.setUser(Array("many".utf8))
        accounts[shared].live = 0
        accounts.forgetIfEmpty(shared)
        let isThere = accounts.contains(shared)
        #expect(!isThere)
    }
}

extension ProducerID {
    /// The id of a test's producer; 0 is that of the shared account.
    fileprivate init(_ number: UInt64) { self.init(high: 0, low: number) }
}

extension Accounts {
    /// The heaviest account while there are no users.
    fileprivate var heaviest: AccountRecord.Index {
        mutating get { heaviest(ofAll: 0) }
    }

    fileprivate mutating func account(of producer: UInt64, limit: Int = .max) -> AccountRecord.Index {
        findOrMake(ProducerID(producer), seed: 1, limit: limit)
    }
}
