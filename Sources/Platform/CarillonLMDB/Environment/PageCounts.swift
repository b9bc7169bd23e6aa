/// The counts of the pages of a file. Each page is in one tree, or free: if the file is sound, ``inTrees`` and ``free``
/// are together ``allocated``.
package struct PageCounts: Hashable, Sendable {
    /// The number of pages from the start of the file to the last one ever used.
    package var allocated: Int
    /// The number of the two meta pages and the pages of all trees.
    package var inTrees: Int
    /// The number of pages in the free list.
    package var free: Int
}
