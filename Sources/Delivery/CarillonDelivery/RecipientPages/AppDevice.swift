import CarillonCore

/// The name of a device in memory: its app and its id.
struct AppDevice: Hashable {
    var app: AppID
    var device: DeviceID
}
