/// The result of looking up an append with an unknown end.
package enum Settlement: Hashable, Sendable {
    case appended(LogPosition)
    /// The entry is not in the log, and never will be.
    case never
    /// An answer is impossible: the node has joined again since, and the entries of that time are trimmed. The node's
    /// replica begins with a snapshot.
    case forgotten
}
