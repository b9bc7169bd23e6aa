import CarillonCluster

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Threads that may wait for a socket or the resolver, which a task must not.
enum BackgroundThread {
    private final class Context {
        let body: () -> Void

        init(_ body: @escaping () -> Void) { self.body = body }
    }

    /// Runs `body` on a new thread.
    ///
    /// - Throws: `.unavailable` if the system has no thread.
    static func start(_ body: sending @escaping () -> Void) throws(LogFailure) {
        let context = Unmanaged.passRetained(Context(body))
        var thread = pthread_t()
        // Safety: the box is retained for the thread, which takes it back exactly once.
        let result = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Context>.fromOpaque(context).takeRetainedValue().body()
                return nil
            }, context.toOpaque())
        guard result == 0 else {
            context.release()
            throw .unavailable(.none, "the system has no thread (\(result))")
        }
        pthread_detach(thread)
    }
}
