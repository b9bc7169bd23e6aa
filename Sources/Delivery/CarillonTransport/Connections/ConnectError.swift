/// The reason why there is no address to connect to.
enum ConnectError: Error, CustomStringConvertible {
    /// DNS does not know the host.
    case unresolved(String)
    /// DNS names no address for the host.
    case noAddress
    /// DNS names only addresses that are not public.
    case notPermitted

    var description: String {
        switch self {
        case .unresolved(let reason): "DNS: \(reason)"
        case .noAddress: "DNS names no address"
        case .notPermitted: "DNS names only addresses that are not public"
        }
    }
}
