import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// The sets in memory are written before a read of a page only if the page needs them.
struct WriteContextTests {
    private let scratch = RegistryDirectory()
    private static let list = Change.accept(.sample(to: [byToken(1)]), now: timestamp(1_000))
    private static let live = Change.accept(.sample(to: .topic("t")), now: timestamp(1_000))

    @Test(arguments: [
        ([list], false), ([live], true), ([Change.updateDevice(1, isMuted: true), list], true),
    ])
    func `only a list without newly muted devices needs no flush`(changes: [Change], areWritten: Bool) throws {
        try scratch.open().close()
        try scratch.edit { environment, tables in
            let context = WriteContext(tables: tables, options: LMDBRegistry.Options())
            let applier = ChangeApplier(context: context)
            try environment.write { transaction in
                for change in [Change.register(1), .subscribe(["t"], devices: [byToken(1)])] + changes {
                    _ = try applier.apply(change, in: &transaction)
                }
                try context.flush(for: .page(of: messageID(1)), in: &transaction)
                let app = try #require(try context.ids.knownNumber(of: game, in: transaction))
                let stored = try tables.sets.get(.topic("t"), app: app, in: transaction)
                #expect((stored != nil) == areWritten)
                try context.flush(in: &transaction)
            }
        }
    }
}
