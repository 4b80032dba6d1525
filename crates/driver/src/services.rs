//! Carries out the services' requests, and hands the ends back to them.

use super::driver::Driver;
use super::jobs::{self, Job};
use super::service::{
    RequestId, Service, ServiceId, Services, SessionContext, SessionView, Wanted, WorkDesk, WorkResult,
};
use stepwright_episode::Role;
use stepwright_episode::gate::Answer;
use stepwright_method::Stop;
use stepwright_protocol::Command;

impl Driver {
    pub(super) fn open_services(&mut self) {
        self.each_service(|service, view| service.opened(view));
    }

    pub(super) fn serve(&mut self, command: Command) {
        let mut command = Some(command);
        self.each_service(|service, view| command = command.take().and_then(|command| service.command(command, view)));
    }

    pub(super) fn cancel_services(&mut self) {
        self.each_service(|service, view| service.cancel(view));
    }

    pub(super) fn service_worked(&mut self, at: ServiceId, result: WorkResult) {
        self.with_service(at, |service, view| service.worked(result, view));
    }

    /// Does what the services want, and tells them how it ended, until nothing is left.
    pub(super) fn run_services(&mut self) {
        loop {
            if let Some((ticket, answer)) = self.ended.pop() {
                if let Some((at, request)) = self.services.queued.remove(&ticket) {
                    self.service_answered(at, request, answer);
                }
            } else if let Some((at, wanted)) = self.services.wanted.pop_front() {
                match wanted {
                    Wanted::Show => self.shown.at = None,
                    Wanted::Work(work) => {
                        let stop = Stop::default();
                        let desk = WorkDesk { stop: stop.clone(), notices: self.outlets.notices.clone() };
                        let job = self.jobs.begin(Job::Service, move || stop.stop());
                        jobs::serve(at, job, work, desk, &self.outlets);
                    }
                    Wanted::Request(id, request) => match self.request(request) {
                        Answer::Queued(ticket) => drop(self.services.queued.insert(ticket, (at, id))),
                        answer => self.service_answered(at, id, answer),
                    },
                }
            } else if let Some((ask, answer)) = self.services.ended.pop_front() {
                if let Some(at) = self.services.asks.remove(&ask) {
                    self.with_service(at, |service, view| service.ask_ended(ask, answer, view));
                }
            } else if let Some(record) = self.services.records.pop_front() {
                self.each_service(|service, view| service.recorded(&record, view));
            } else {
                return;
            }
        }
    }

    fn service_answered(&mut self, at: ServiceId, request: RequestId, answer: Answer) {
        if let Answer::Done { ask: Some(ask) } = &answer {
            self.services.asks.insert(*ask, at);
        }
        self.with_service(at, |service, view| service.answered(request, answer, view));
    }

    fn each_service(&mut self, mut act: impl FnMut(&mut dyn Service, &mut SessionView<'_>)) {
        for at in 0..self.services.list.len() {
            self.with_service(at, &mut act);
        }
    }

    fn with_service(&mut self, at: ServiceId, act: impl FnOnce(&mut dyn Service, &mut SessionView<'_>)) {
        let Services { list, last_request, wanted, .. } = &mut self.services;
        let Some(service) = list.get_mut(at) else { return };
        let mut own = Vec::new();
        let mut view = SessionView {
            ground: SessionContext {
                session: self.gate.session(),
                program: &self.program,
                world: self.timeline.world.as_ref(),
                source: &self.models.source,
                knowledge: &self.knowledge,
                resolver: &self.models.resolver,
                methods: &self.models.methods,
            },
            discoverer: self.models.source_of(Role::Discoverer),
            models: &self.models,
            prompting: &self.models.role_models.of(Role::Discoverer).prompting,
            sandbox: &self.models.sandbox,
            timeline: &self.timeline,
            headless: self.headless,
            notices: &self.outlets.notices,
            wanted: &mut own,
            last_request,
        };
        act(service.as_mut(), &mut view);
        wanted.extend(own.into_iter().map(|wanted| (at, wanted)));
    }
}
