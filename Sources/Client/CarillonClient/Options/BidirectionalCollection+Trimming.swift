/// The trimming of texts and of keys.
extension BidirectionalCollection {
    /// Returns the elements without those at both ends for which `isDropped` returns true.
    func trimmed(while isDropped: (Element) -> Bool) -> SubSequence {
        var rest = drop(while: isDropped)
        while let last = rest.last, isDropped(last) { rest.removeLast() }
        return rest
    }
}
