import CarillonCore
import CarillonWire
import Testing

@testable import CarillonServer

/// What a change that was read with others is answered.
struct ChangeKindTests {
    private let game = AppID("com.example.game")!
    private let device = DeviceReference.id(DeviceID(rawValue: 7))
    private let id = DeviceID(rawValue: 7)

    private var unregister: ChangeKind { ChangeKind(.unregister(device, app: game, at: .zero, now: .zero)) }
    private var join: ChangeKind {
        ChangeKind(.join(Join(app: game, group: GroupName("g")!, devices: [device]), now: .zero))
    }

    @Test func anAnswerIsOfItsOwnKind() {
        #expect(unregister.opcode == .unregister)
        #expect(unregister.response(.success(.unregistered(id))) == .success(.unregistered(id)))
        #expect(unregister.response(.success(.updated(id))) == .failure(RequestRunner.bug))
        let (restore, update) = (
            ChangeKind(.restore(device, app: game, now: .zero)), ChangeKind(.update(device, app: game, DeviceUpdate()))
        )
        #expect(restore.response(.success(.updated(id))) == .success(.restored(id)))
        #expect(update.response(.success(.updated(id))) == .success(.updated(id)))
    }

    @Test func errorsOfTheRegistryAreTold() {
        #expect(unregister.response(.failure(.deadline)) == .failure(RequestRunner.late))
        #expect(unregister.response(.success(.refused(.notFound))) == .failure(RequestRunner.noDevice))
        #expect(unregister.response(.failure(.overloaded)) == .failure(RequestRunner.reply(.overloaded)))
    }

    @Test func aJoinIsTheOnlyOneWithOneGroup() {
        func field(_ kind: ChangeKind) -> String? {
            guard case .failure(let error) = kind.response(.success(.refused(.tooMany(.groups)))) else { return nil }
            return error.field
        }
        #expect(field(join) == "group")
        #expect(field(unregister) == "groups")
    }
}
