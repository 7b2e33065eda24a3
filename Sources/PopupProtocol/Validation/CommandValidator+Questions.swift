extension CommandValidator {
    func validate(_ query: WireQuery, _ check: FieldCheck) throws(CommandRefusal) {
        try check.token(query.client, "client")
        try check.token(query.nonce, "nonce")
        switch query.query {
        case .list(let list): try validate(list.selector, FieldCheck(command: "query.list"))
        case .count(let count): try validate(count.selector, FieldCheck(command: "query.count"))
        case .peek(let peek): try check.group(peek.group, "peek.group")
        case .explain(let explain): try check.id(explain.id, "explain.id")
        case .path(let path):
            try check.id(path.tree, "path.tree")
            try check.optionalID(path.node, "path.node")
            try check.optionalID(path.except, "path.except")
            try check.separator(path.separator, "path.separator")
        case .stats: break
        case nil:
            throw check.refusal("query", "is missing; give one of list, count, peek, explain, path, stats")
        }
    }

    func validate(_ page: WirePage, _ check: FieldCheck) throws(CommandRefusal) {
        try check.id(page.tree, "tree")
        switch page.page {
        case .open(let open):
            try check.id(open.node, "open.node")
            try check.optionalID(open.parent, "open.parent")
            guard open.parent != open.node else {
                throw check.refusal("open.parent", "is the page itself; name the page above, or none for the root")
            }
            try check.id(open.value, "open.value")
        case .enter(let node): try check.id(node.node, "enter.node")
        case .close(let node): try check.id(node.node, "close.node")
        case .clear: break
        case nil: throw check.refusal("page", "is missing; give one of open, enter, close, clear")
        }
    }
}
