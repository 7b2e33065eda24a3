// The levels of a queue as a tree by priority: a treap (Seidel and Aragon, Algorithmica 1996) whose weights are derived
// from the priorities. Finding, adding and removing a level take O(log d) expected time, where d is the number of
// different priorities in the queue. With one priority, as in most queues, the root is the only level.
extension Slab where Record == PriorityLevel {
    /// Returns the level of the highest priority in a tree.
    func highest(in root: Index?) -> Index? {
        guard var level = root else { return nil }
        while let right = self[level].right { level = right }
        return level
    }

    /// Returns the level of the lowest priority in a tree.
    func lowest(in root: Index?) -> Index? {
        guard var level = root else { return nil }
        while let left = self[level].left { level = left }
        return level
    }

    /// Returns the level of a priority, or its neighbours if there is no such level.
    func find(_ priority: Int32, in root: Index?) -> (level: Index?, higher: Index?, lower: Index?) {
        var (next, higher, lower): (Index?, Index?, Index?) = (root, nil, nil)
        while let level = next, self[level].priority != priority {
            if self[level].priority > priority {
                higher = level
                next = self[level].left
            } else {
                lower = level
                next = self[level].right
            }
        }
        return (next, higher, lower)
    }

    /// Adds a new level to a tree: subtrees of lower weight on its path move below it. Returns the root.
    mutating func add(_ level: Index, to root: Index?) -> Index {
        let (priority, weight) = (self[level].priority, self[level].weight)
        var (parent, next): (Index?, Index?) = (nil, root)
        while let subtree = next, self[subtree].weight >= weight {
            parent = subtree
            next = self[subtree].priority > priority ? self[subtree].left : self[subtree].right
        }
        // The lower and the higher part of the subtree, each linked to the last node of its kind.
        var (lower, higher): (Index?, Index?) = (nil, nil)
        while let subtree = next {
            if self[subtree].priority < priority {
                if let lower { self[lower].right = subtree } else { self[level].left = subtree }
                lower = subtree
                next = self[subtree].right
            } else {
                if let higher { self[higher].left = subtree } else { self[level].right = subtree }
                higher = subtree
                next = self[subtree].left
            }
        }
        if let lower { self[lower].right = nil }
        if let higher { self[higher].left = nil }
        guard let parent, let root else { return level }
        hang(level, under: parent, isRight: self[parent].priority < priority)
        return root
    }

    /// Removes a level from a tree: the subtrees below it are joined. Returns the root.
    mutating func takeOut(_ level: Index, of root: Index?) -> Index? {
        let priority = self[level].priority
        var (parent, isRight, root): (Index?, Bool, Index?) = (nil, false, root)
        var next = root
        while let index = next, index != level {
            parent = index
            isRight = self[index].priority < priority
            next = isRight ? self[index].right : self[index].left
        }
        var (low, high) = (self[level].left, self[level].right)
        while let lower = low, let higher = high {
            let takesLower = self[lower].weight >= self[higher].weight
            let top = takesLower ? lower : higher
            if let parent { hang(top, under: parent, isRight: isRight) } else { root = top }
            (parent, isRight) = (top, takesLower)
            if takesLower { low = self[top].right } else { high = self[top].left }
        }
        guard let parent else { return low ?? high }
        hang(low ?? high, under: parent, isRight: isRight)
        return root
    }

    private mutating func hang(_ subtree: Index?, under parent: Index, isRight: Bool) {
        if isRight { self[parent].right = subtree } else { self[parent].left = subtree }
    }
}
