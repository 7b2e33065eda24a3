// The levels of a queue as a tree by priority, so that one of thousands is found as soon as one of a few: a treap
// (Seidel and Aragon, Algorithmica 1996), whose weights are drawn from the priorities. Finding, adding and taking out
// are O(log d) expected, d the different priorities in the queue; with one priority, as in most queues, the root is the
// level.
extension Slab where Record == PriorityLevel {
    /// The level of the highest priority in a tree that is not empty.
    func highest(in root: Int32) -> Int32 {
        var level = root
        while self[level].right != nobody { level = self[level].right }
        return level
    }

    /// The level of the lowest priority in a tree that is not empty.
    func lowest(in root: Int32) -> Int32 {
        var level = root
        while self[level].left != nobody { level = self[level].left }
        return level
    }

    /// The level of a priority, or, if there is none, those next to it.
    func find(_ priority: Int32, in root: Int32) -> (level: Int32, higher: Int32, lower: Int32) {
        var (level, higher, lower) = (root, nobody, nobody)
        while level != nobody, self[level].priority != priority {
            if self[level].priority > priority {
                higher = level
                level = self[level].left
            } else {
                lower = level
                level = self[level].right
            }
        }
        return (level, higher, lower)
    }

    /// Takes a new level into a tree, and returns its root: those of less weight on its way come below it.
    mutating func add(_ level: Int32, to root: Int32) -> Int32 {
        let (priority, weight) = (self[level].priority, self[level].weight)
        var (parent, subtree) = (nobody, root)
        while subtree != nobody, self[subtree].weight >= weight {
            parent = subtree
            subtree = self[subtree].priority > priority ? self[subtree].left : self[subtree].right
        }
        // What is lower and what is higher of the subtree, each hung on where the last of its kind ended.
        var (lower, higher) = (nobody, nobody)
        while subtree != nobody {
            if self[subtree].priority < priority {
                if lower == nobody { self[level].left = subtree } else { self[lower].right = subtree }
                lower = subtree
                subtree = self[subtree].right
            } else {
                if higher == nobody { self[level].right = subtree } else { self[higher].left = subtree }
                higher = subtree
                subtree = self[subtree].left
            }
        }
        if lower != nobody { self[lower].right = nobody }
        if higher != nobody { self[higher].left = nobody }
        return hang(level, under: parent, isRight: parent != nobody && self[parent].priority < priority, root)
    }

    /// Takes a level out of a tree, and returns its root: what was below it is joined.
    mutating func takeOut(_ level: Int32, of root: Int32) -> Int32 {
        let priority = self[level].priority
        var (parent, isRight, root) = (nobody, false, root)
        var place = root
        while place != level {
            parent = place
            isRight = self[place].priority < priority
            place = isRight ? self[place].right : self[place].left
        }
        var (lower, higher) = (self[level].left, self[level].right)
        while lower != nobody, higher != nobody {
            let takesLower = self[lower].weight >= self[higher].weight
            let next = takesLower ? lower : higher
            root = hang(next, under: parent, isRight: isRight, root)
            (parent, isRight) = (next, takesLower)
            if takesLower { lower = self[next].right } else { higher = self[next].left }
        }
        return hang(lower != nobody ? lower : higher, under: parent, isRight: isRight, root)
    }

    private mutating func hang(_ subtree: Int32, under parent: Int32, isRight: Bool, _ root: Int32) -> Int32 {
        guard parent != nobody else { return subtree }
        if isRight { self[parent].right = subtree } else { self[parent].left = subtree }
        return root
    }
}
