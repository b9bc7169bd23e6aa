/// The size of a database in the file.
package struct DatabaseSize: Hashable, Sendable {
    /// Keys, as LMDB counts them.
    package var entries: Int
    /// Pages of its tree, and those of values that are longer than a page.
    package var pages: Int
}
