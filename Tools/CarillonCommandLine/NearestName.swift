/// A suggestion for a misspelt name.
package enum NearestName {
    /// The known name that differs from `name` in the fewest letters, at most one in three; nil if there is none. Of
    /// equally near ones, the first.
    package static func find(_ name: String, among known: [String]) -> String? {
        let limit = max(1, name.count / 3)
        let distances = known.map { (name: $0, distance: distance(name, $0, limit: limit)) }
        return distances.min { $0.distance < $1.distance }.flatMap { $0.distance <= limit ? $0.name : nil }
    }

    /// The number of letters to insert, remove, replace or swap with their neighbour; more than `limit` if the lengths
    /// differ by more.
    private static func distance(_ one: String, _ other: String, limit: Int) -> Int {
        let (one, other) = (Array(one), Array(other))
        guard abs(one.count - other.count) <= limit else { return .max }
        // The distances of the beginnings of `one` that are two and one letters shorter.
        var last: [Int] = []
        var row = Array(0...other.count)
        for i in one.indices {
            var next = [i + 1]
            for j in other.indices {
                var least = min(row[j + 1] + 1, next[j] + 1, row[j] + (one[i] == other[j] ? 0 : 1))
                if i > 0, j > 0, one[i] == other[j - 1], one[i - 1] == other[j] { least = min(least, last[j - 1] + 1) }
                next.append(least)
            }
            (last, row) = (row, next)
        }
        return row[other.count]
    }
}
