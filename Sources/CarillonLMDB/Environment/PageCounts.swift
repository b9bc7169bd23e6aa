/// The counts of the pages of a file. Each page is in one tree, or free: if the file is sound, ``taken`` and ``free``
/// are together ``used``.
package struct PageCounts: Hashable, Sendable {
    /// The number of pages from the start of the file to the last one ever used.
    package var used: Int
    /// The number of the two meta pages and the pages of all trees.
    package var taken: Int
    /// The number of pages in the free list.
    package var free: Int
}
