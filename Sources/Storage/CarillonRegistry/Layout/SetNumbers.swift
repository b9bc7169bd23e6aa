import CarillonCore

/// The lists of set numbers: ascending, each number once.
extension [SetNumber] {
    /// Returns the index of the first number that is not below `number`.
    private func lowerBound(of number: SetNumber) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns true if `number` is in this ascending list.
    func containsSorted(_ number: SetNumber) -> Bool {
        let index = lowerBound(of: number)
        return index < count && self[index] == number
    }

    /// Adds `number` to this ascending list; returns false if it was there.
    mutating func insertSorted(_ number: SetNumber) -> Bool {
        let index = lowerBound(of: number)
        guard index == count || self[index] != number else { return false }
        insert(number, at: index)
        return true
    }

    /// Removes `number` from this ascending list; returns false if it was not there.
    mutating func removeSorted(_ number: SetNumber) -> Bool {
        let index = lowerBound(of: number)
        guard index < count, self[index] == number else { return false }
        remove(at: index)
        return true
    }
}
