/// Where the pages of a file are. Each page is in one tree, or free; of a sound file the sum is ``used``.
package struct PageAccount: Hashable, Sendable {
    /// Pages from the start of the file to the last one ever used.
    package var used: Int
    /// The two meta pages, and the pages of all trees.
    package var taken: Int
    /// Pages in the free list.
    package var free: Int
}
