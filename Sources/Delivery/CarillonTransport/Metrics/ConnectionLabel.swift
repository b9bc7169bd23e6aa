/// The label of a connection in metrics: its group, and the lowest number that was free in the group when the
/// connection was opened.
package struct ConnectionLabel: Hashable, Sendable, CustomStringConvertible {
    /// The connection group of a pool.
    package enum Group: String, Sendable {
        /// The group for all pushes but the isolated ones.
        case main
        /// The group for pushes that were in flight when other connections ended; it seldom has more than one
        /// connection.
        case isolated
    }

    package var group: Group
    /// The number, from 1.
    package var number: Int

    package static func main(_ number: Int) -> ConnectionLabel { ConnectionLabel(group: .main, number: number) }

    package static func isolated(_ number: Int) -> ConnectionLabel { ConnectionLabel(group: .isolated, number: number) }

    /// The number, after `isolated-` in the isolated group.
    package var description: String { group == .main ? "\(number)" : "isolated-\(number)" }
}
