// SPDX-License-Identifier: BSD-2-Clause
// game.cpp - the loop of a game.
//
// A pool of threads moves a world, scripts of creatures are coroutines, and a
// loader streams pieces of the world in.
//
//	SYSCAP_SAMPLE=1000 syscap record -o game.syscap -- ./syscap-game
//	syscap stat game.syscap
//
// The program also measures itself, and prints the same figures as the capture.
// The game needs C++20, and shows no pictures.

#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <syscap.hpp>

SYSCAP_WITH_SAMPLER;

namespace
{

using clock_type = std::chrono::steady_clock;

syscap::counter<int> frames("game", "frames", "Frames drawn so far");
syscap::counter<long> pieces("game", "pieces", "Moved so far by all threads");
syscap::counter<double> energy("game", "energy", "Of all bodies");
syscap::counter<std::size_t> queued("game", "jobs", "That wait for a thread");

// ---------------------------------------------------------------- statistics

// The number of times and the total duration of each step.
class statistics
{
      public:
	void add(const std::string &step, clock_type::duration took)
	{
		const std::lock_guard<std::mutex> guard(lock_);
		steps_[step].n++;
		steps_[step].took += took;
	}

	void show() const
	{
		for (const auto &[name, sum] : steps_) {
			const std::chrono::duration<double, std::milli> ms =
				sum.took;
			std::printf("mark game %s %d %.3f\n", name.c_str(),
			            sum.n, ms.count());
		}
	}

      private:
	struct total {
		int n = 0;
		clock_type::duration took{};
	};
	std::mutex lock_;
	std::map<std::string, total> steps_;
};

statistics times;

// Records a block as a mark, and also measures the block.  An exception ends
// both.
class measured
{
      public:
	explicit measured(const char *step)
	    : step_(step), scope_("game", step), began_(clock_type::now())
	{
	}
	measured(const measured &) = delete;
	measured &operator=(const measured &) = delete;
	~measured()
	{
		const auto took = clock_type::now() - began_;
		scope_.end();
		times.add(step_, took);
	}

      private:
	const char *step_;
	syscap::named_scope scope_;
	clock_type::time_point began_;
};

// ---------------------------------------------------------------- thread pool

class pool
{
      public:
	explicit pool(int n)
	{
		for (int i = 0; i < n; i++)
			threads_.emplace_back([this, i] { work(i); });
	}

	~pool()
	{
		{
			const std::lock_guard<std::mutex> guard(lock_);
			is_over_ = true;
		}
		is_changed_.notify_all();
		for (std::thread &thread : threads_)
			thread.join();
	}

	// Does @job for each of @n pieces, and returns when all pieces are
	// done.
	void for_each(int n, const std::function<void(int)> &job)
	{
		std::unique_lock<std::mutex> guard(lock_);
		for (int i = 0; i < n; i++)
			jobs_.push_back([&job, i] { job(i); });
		left_ += n;
		queued.set(jobs_.size());
		is_changed_.notify_all();
		is_done_.wait(guard, [this] { return left_ == 0; });
	}

      private:
	void work(int number)
	{
		const std::string name = "pool-" + std::to_string(number);
		pthread_setname_np(pthread_self(), name.c_str());
		std::unique_lock<std::mutex> guard(lock_);
		for (;;) {
			is_changed_.wait(guard, [this] {
				return is_over_ || !jobs_.empty();
			});
			if (jobs_.empty())
				return;
			const std::function<void()> job =
				std::move(jobs_.front());
			jobs_.pop_front();
			guard.unlock();
			job();
			guard.lock();
			if (--left_ == 0)
				is_done_.notify_all();
		}
	}

	std::mutex lock_;
	std::condition_variable is_changed_, is_done_;
	std::deque<std::function<void()>> jobs_;
	std::vector<std::thread> threads_;
	int left_ = 0;
	bool is_over_ = false;
};

// -------------------------------------------------------------------- scripts

// A script of a creature, which waits for the next frame by co_await.
class script
{
      public:
	struct promise_type {
		script get_return_object()
		{
			return script(std::coroutine_handle<
				      promise_type>::from_promise(*this));
		}
		std::suspend_always initial_suspend() noexcept
		{
			return {};
		}
		std::suspend_always final_suspend() noexcept
		{
			return {};
		}
		void return_void()
		{
		}
		void unhandled_exception()
		{
			error = std::current_exception();
		}
		std::exception_ptr error;
	};

	explicit script(std::coroutine_handle<promise_type> handle)
	    : handle_(handle)
	{
	}
	script(script &&other) noexcept
	    : handle_(std::exchange(other.handle_, {}))
	{
	}
	script &operator=(script &&) = delete;
	~script()
	{
		if (handle_)
			handle_.destroy();
	}

	// Runs the script until it waits or ends; returns false at the end.
	bool resume()
	{
		if (!handle_ || handle_.done())
			return false;
		handle_.resume();
		if (handle_.promise().error)
			std::rethrow_exception(
				std::exchange(handle_.promise().error, {}));
		return !handle_.done();
	}

      private:
	std::coroutine_handle<promise_type> handle_;
};

constexpr std::suspend_always next_frame;

const syscap::site living = { "game", "life" };

// A script runs for several frames beside other scripts, so it is an operation.
script live(int number, int n_frames, double &mood)
{
	const auto began = clock_type::now();
	syscap::operation life(living);

	for (int i = 0; i < n_frames; i++) {
		for (int k = 1; k < 2000; k++)
			mood += std::sin(mood * k + number) / k;
		co_await next_frame;
	}
	times.add("life", clock_type::now() - began);
	life.end("creature " + std::to_string(number));
	if (number % 7 == 0)
		throw std::runtime_error("creature " + std::to_string(number) +
		                         " died of it");
}

// ---------------------------------------------------------------------- world

struct body {
	double x, y, vx, vy;
};

class world
{
      public:
	explicit world(int n)
	{
		for (int i = 0; i < n; i++)
			bodies_.push_back({ std::cos(i) * i, std::sin(i) * i,
			                    0.001 * i, -0.001 * i });
	}

	[[gnu::noinline]] void move_piece(int piece, int n_pieces)
	{
		const measured step("move");
		const std::size_t n = bodies_.size();
		const std::size_t from = n * piece / n_pieces;
		const std::size_t to = n * (piece + 1) / n_pieces;

		for (std::size_t i = from; i < to; i++)
			pull(bodies_[i], i);
		pieces.add();
	}

	double measure_energy() const
	{
		double sum = 0;
		for (const body &b : bodies_)
			sum += b.vx * b.vx + b.vy * b.vy;
		return sum / 2;
	}

	[[gnu::noinline]] double draw() const
	{
		const measured step("draw");
		double light = 0;
		for (int pass = 0; pass < 20; pass++)
			for (const body &b : bodies_)
				light += std::exp(-std::hypot(b.x, b.y) *
				                  (1 + pass));
		return light;
	}

      private:
	void pull(body &self, std::size_t at)
	{
		double ax = 0, ay = 0;
		for (std::size_t i = 0; i < bodies_.size(); i += 2) {
			const double dx = i == at ? 1 : before_x(i) - self.x;
			const double dy = before_y(i) - self.y;
			const double d = dx * dx + dy * dy + 1;
			ax += dx / (d * std::sqrt(d));
			ay += dy / (d * std::sqrt(d));
		}
		self.vx += ax * 0.001;
		self.vy += ay * 0.001;
	}
	double before_x(std::size_t i) const
	{
		return bodies_[i].x;
	}
	double before_y(std::size_t i) const
	{
		return bodies_[i].y;
	}

	std::vector<body> bodies_;
};

// ----------------------------------------------------------------------- loop

constexpr int n_pieces = 8;

int play(int n_frames)
{
	constexpr int n_creatures = 20;
	pool threads(3);
	world world(1200);
	std::vector<double> moods(n_creatures);
	std::vector<script> scripts;
	int n_failed = 0;

	for (int i = 0; i < n_creatures; i++)
		scripts.push_back(live(i, n_frames - i % 5, moods[i]));
	for (int frame = 0; frame < n_frames + 1; frame++) {
		const measured step("frame");

		threads.for_each(n_pieces, [&](int piece) {
			world.move_piece(piece, n_pieces);
		});
		for (script &each : scripts) {
			try {
				each.resume();
			} catch (const std::exception &error) {
				n_failed++;
				syscap::log(syscap::severity::warning, "game",
				            std::string(error.what()));
			}
		}
		energy.set(world.measure_energy());
		if (world.draw() < 0)
			return -1;
		frames.set(frame + 1);
	}
	return n_failed;
}

} // namespace

int main(int argc, char **argv)
{
	const int n_frames = argc > 1 ? std::atoi(argv[1]) : 60;
	const int n_failed = play(n_frames);

	syscap::log(syscap::severity::info, "game", "the game is over");
	times.show();
	std::printf("counter game frames %d\n", n_frames + 1);
	std::printf("counter game pieces %d\n", (n_frames + 1) * n_pieces);
	std::printf("logs game %d\n", n_failed + 1);
	std::printf("stack move_piece\nstack draw\nstack live\n");
	return n_failed == 3 ? EXIT_SUCCESS : EXIT_FAILURE;
}
