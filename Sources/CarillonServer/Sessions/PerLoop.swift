import NIOCore
import Synchronization

/// One value for each event loop, made when it is first asked for. A value is used on its loop only.
final class PerLoop<Value>: Sendable {
    private let values = Mutex<[ObjectIdentifier: NIOLoopBound<Value>]>([:])

    /// The value of a loop; to be called on that loop. The first call makes it.
    func value(on loop: any EventLoop, make: (any EventLoop) -> Value) -> Value {
        let bound = values.withLock { values in
            let key = ObjectIdentifier(loop)
            if let known = values[key] { return known }
            let new = NIOLoopBound(make(loop), eventLoop: loop)
            values[key] = new
            return new
        }
        return bound.value
    }
}
