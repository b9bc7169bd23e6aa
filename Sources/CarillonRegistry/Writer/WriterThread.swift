import CarillonCore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The thread of a writer. LMDB's writer lock belongs to a thread, so a task, which may move between threads, cannot
/// hold it.
enum WriterThread {
    /// Carries a writer to its thread.
    private final class Context {
        var writer: Writer?
        let queue: WriteQueue

        init(writer: Writer, queue: WriteQueue) {
            self.writer = writer
            self.queue = queue
        }
    }

    /// Starts a thread that runs the writer and then releases it; `queue.stopped()` is called after that.
    static func start(queue: WriteQueue, _ writer: sending Writer) throws(RegistryError) {
        let context = Unmanaged.passRetained(Context(writer: writer, queue: queue))
        var thread = pthread_t()
        // Safety: the box is retained for the thread, which takes it back exactly once.
        let result = pthread_create(
            &thread,
            nil,
            { context in
                guard let context else { return nil }
                WriterThread.run(Unmanaged<Context>.fromOpaque(context).takeRetainedValue())
                return nil
            },
            context.toOpaque()
        )
        guard result == 0 else {
            context.release()
            throw .storageFailed("no thread for the writer (\(result))")
        }
        pthread_detach(thread)
    }

    private static func run(_ context: Context) {
        runWriter(of: context)
        context.queue.stopped()
    }

    /// A function of its own, so that the writer, and with it the environment, is released when it returns.
    @inline(never)
    private static func runWriter(of context: Context) {
        context.writer?.run()
        context.writer = nil
    }
}
