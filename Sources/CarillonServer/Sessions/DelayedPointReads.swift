import CarillonCore
import CarillonSession
import CarillonWire

/// The point reads of one connection that wait, for one of two reasons. Reading stops meanwhile.
enum DelayedPointReads {
    /// Until the registry's snapshot shows every answered change.
    case forSnapshot(PointRead, of: AppID, RequestContext)
    /// Until the output is sent, or the others have had their turn.
    case forOutput(PointReadBatch)

    /// The client has other rights: a read that has not begun is judged by them.
    mutating func principalChanged(to principal: Principal) {
        guard case .forSnapshot(let read, let app, var context) = self else { return }
        context.principal = principal
        self = .forSnapshot(read, of: app, context)
    }
}
