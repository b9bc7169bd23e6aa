/// The size of a database in the file.
package struct DatabaseSize: Hashable, Sendable {
    /// The number of keys, as LMDB counts them.
    package var entries: Int
    /// The number of pages of its tree, and of the values that are longer than a page.
    package var pages: Int
}
