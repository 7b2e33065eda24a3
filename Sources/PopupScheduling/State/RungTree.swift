// The rungs of a line as a tree by priority, so that one of thousands is found as soon as one of a few: a treap (Seidel
// and Aragon, Algorithmica 1996), whose weights are drawn from the priorities. Finding, adding and taking out are
// O(log d) expected, d the different priorities in the line; with one priority, as in most lines, the root is the rung.
extension Slab where Record == Rung {
    /// The rung of the highest priority in a tree that is not empty.
    func highest(in root: Int32) -> Int32 {
        var rung = root
        while self[rung].right != nobody { rung = self[rung].right }
        return rung
    }

    /// The rung of the lowest priority in a tree that is not empty.
    func lowest(in root: Int32) -> Int32 {
        var rung = root
        while self[rung].left != nobody { rung = self[rung].left }
        return rung
    }

    /// The rung of a priority, or, if there is none, those next to it.
    func find(_ priority: Int32, in root: Int32) -> (rung: Int32, higher: Int32, lower: Int32) {
        var (rung, higher, lower) = (root, nobody, nobody)
        while rung != nobody, self[rung].priority != priority {
            if self[rung].priority > priority {
                higher = rung
                rung = self[rung].left
            } else {
                lower = rung
                rung = self[rung].right
            }
        }
        return (rung, higher, lower)
    }

    /// Takes a new rung into a tree, and returns its root: those of less weight on its way come below it.
    mutating func add(_ rung: Int32, to root: Int32) -> Int32 {
        let (priority, weight) = (self[rung].priority, self[rung].weight)
        var (parent, subtree) = (nobody, root)
        while subtree != nobody, self[subtree].weight >= weight {
            parent = subtree
            subtree = self[subtree].priority > priority ? self[subtree].left : self[subtree].right
        }
        // What is lower and what is higher of the subtree, each hung on where the last of its kind ended.
        var (lower, higher) = (nobody, nobody)
        while subtree != nobody {
            if self[subtree].priority < priority {
                if lower == nobody { self[rung].left = subtree } else { self[lower].right = subtree }
                lower = subtree
                subtree = self[subtree].right
            } else {
                if higher == nobody { self[rung].right = subtree } else { self[higher].left = subtree }
                higher = subtree
                subtree = self[subtree].left
            }
        }
        if lower != nobody { self[lower].right = nobody }
        if higher != nobody { self[higher].left = nobody }
        return hang(rung, under: parent, isRight: parent != nobody && self[parent].priority < priority, root)
    }

    /// Takes a rung out of a tree, and returns its root: what was below it is joined.
    mutating func takeOut(_ rung: Int32, of root: Int32) -> Int32 {
        let priority = self[rung].priority
        var (parent, isRight, root) = (nobody, false, root)
        var place = root
        while place != rung {
            parent = place
            isRight = self[place].priority < priority
            place = isRight ? self[place].right : self[place].left
        }
        var (lower, higher) = (self[rung].left, self[rung].right)
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
